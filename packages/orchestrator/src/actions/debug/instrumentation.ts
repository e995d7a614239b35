import { join } from "node:path";
import { type FileChange, orOn } from "@ccw-loop/core";
import type { ProjectFiles } from "../../project-files.ts";
import { type ChangesSince, changesBetween, changesSince } from "../../proof/changes.ts";
import type { Execution } from "../../run/context.ts";

/** Nobody instruments a larger file. */
const LARGEST = 8 * 1024 * 1024;

/** A file with instrumentation, and what it is without; null when it is nothing else. */
interface Carrier {
  path: string;
  without: string | null;
}

export async function instrumentedFiles(execution: Execution): Promise<string[]> {
  const { changes } = await changesSince(execution);
  return (await carriers(execution, changes)).map(({ path }) => path);
}

/** What lies there without instrumentation, and the files that still hold some. */
export interface WithoutInstrumentation extends ChangesSince {
  left: string[];
}

export async function removeInstrumentation(execution: Execution): Promise<WithoutInstrumentation> {
  const before = await changesSince(execution);
  const found = await carriers(execution, before.changes);
  if (found.length === 0) return { ...before, left: [] };
  const { files } = execution.ctx.deps;
  for (const { path, without } of found) {
    const file = join(execution.ctx.cwd, path);
    // What cannot be written is found again by the measurement below.
    const change =
      without === null ? files.remove(file) : files.write(file, Buffer.from(without, "latin1"));
    await change.catch(() => undefined);
  }
  const after = await changesSince(execution);
  const left = await carriers(execution, after.changes);
  return { ...after, left: left.map(({ path }) => path) };
}

async function carriers(execution: Execution, changes: readonly FileChange[]): Promise<Carrier[]> {
  const marked: { change: FileChange; text: string }[] = [];
  for (const change of changes.filter(({ kind }) => kind !== "deleted")) {
    const text = await textOf(execution.ctx.deps.files, join(execution.ctx.cwd, change.path));
    const named = change.kind === "added" && change.path.includes(PROBE_MARK);
    if (text?.includes(PROBE_MARK) || named) marked.push({ change, text: text ?? "" });
  }
  const modified = marked.filter(({ change }) => change.kind === "modified");
  const before = await textsBefore(
    execution,
    modified.map(({ change }) => change.path),
  );
  return marked.flatMap(({ change: { path, kind }, text }): Carrier[] => {
    const without = withoutProbes(text, before.get(path));
    if (kind === "modified") return without === text ? [] : [{ path, without }];
    const nothingElse = path.includes(PROBE_MARK) || without.trim() === "";
    return [{ path, without: nothingElse ? null : without }];
  });
}

/** Bytes as characters, so that any encoding comes back as it was; undefined for what is no plain file. */
async function textOf(files: ProjectFiles, file: string): Promise<string | undefined> {
  const bytes = await files.bytes(file, { most: LARGEST, followLinks: false });
  return bytes === null ? undefined : Buffer.from(bytes).toString("latin1");
}

/** The files as they were before this action, where the last checkpoint knows them. */
async function textsBefore(
  { ctx, state, baseTree }: Execution,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const kept = state.checkpoints?.at(-1);
  if (!kept || baseTree === null || paths.length === 0) return new Map();
  const since = await changesBetween(ctx, kept.tree, baseTree);
  if (since === null) return new Map();
  const changed = new Set(since.map(({ path }) => path));
  const same = paths.filter((path) => !changed.has(path));
  const found = await orOn(ctx.workspace.read(kept.commit, same), ["invalid_input"], []);
  return new Map([...found].map(([path, bytes]) => [path, Buffer.from(bytes).toString("latin1")]));
}

/** What every line of instrumentation carries, and the name of every file that is nothing else. */
export const PROBE_MARK = "ccw-probe";

/**
 * A file's text without the lines that were put in to observe it. Lines with the mark that `before`, the text as it
 * was, has itself stay. Where a line of instrumentation stands in the place of another one, that one comes back.
 */
export function withoutProbes(text: string, before?: string): string {
  if (!text.includes(PROBE_MARK)) return text;
  const all = linesOf(text);
  const whole = linesOf(before ?? "");
  if (before !== undefined && isAddedTo(whole, all)) return before;
  const own = new Map<string, number>();
  for (const line of whole.filter(isMarked)) {
    own.set(bare(line), (own.get(bare(line)) ?? 0) + 1);
  }
  const kept = all.filter((line) => {
    if (!isMarked(line)) return true;
    const left = own.get(bare(line)) ?? 0;
    own.set(bare(line), left - 1);
    return left > 0;
  });
  const removed = all.length - kept.length;
  const replaced = before !== undefined && removed > 0 && whole.length - kept.length <= removed;
  return replaced && isPartOf(kept, whole) ? before : kept.join("");
}

/** Whether nothing but marked lines came to those that were there. */
function isAddedTo(before: readonly string[], lines: readonly string[]): boolean {
  const others = (all: readonly string[]) => all.filter((line) => !isMarked(line)).length;
  return others(before) === others(lines) && isPartOf(before, lines);
}

/** Whether `lines` are among those of `whole`, in the same order. */
function isPartOf(lines: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const line of whole) {
    if (at < lines.length && bare(lines[at] ?? "") === bare(line)) at += 1;
  }
  return at === lines.length;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function isMarked(line: string): boolean {
  return line.includes(PROBE_MARK);
}

function bare(line: string): string {
  return line.replace(/\r?\n$/, "");
}
