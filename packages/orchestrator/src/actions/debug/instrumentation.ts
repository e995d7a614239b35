import { join } from "node:path";
import { type FileChange, orOn } from "@ccw-loop/core";
import type { ProjectFiles } from "../../project-files.ts";
import { type ChangesSince, changesBetween, changesSince } from "../../proof/changes.ts";
import type { Execution } from "../../run/context.ts";
import { PROBE_MARK, withoutProbes } from "./probe-lines.ts";

/** Nobody instruments a larger file. */
const LARGEST = 8 * 1024 * 1024;

/** A file with instrumentation, and what it is without; null when it is nothing else. */
interface Carrier {
  path: string;
  without: string | null;
}

/** The files that hold instrumentation of this action. */
export async function instrumentedFiles(execution: Execution): Promise<string[]> {
  const { changes } = await changesSince(execution);
  return (await carriers(execution, changes)).map(({ path }) => path);
}

/** What lies there without instrumentation, and the files that still hold some. */
export interface WithoutInstrumentation extends ChangesSince {
  left: string[];
}

/** Takes the instrumentation of this action out of the files. */
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
