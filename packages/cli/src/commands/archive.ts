import { createReadStream, existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { counted, errorText, LoopError, toLoopError } from "@ccw-loop/core";
import type { LocalLoops } from "@ccw-loop/orchestrator";
import { sanitizeLine } from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import { wholeLoopId } from "../runtime/loop-names.ts";
import type { Answer } from "../runtime/perform.ts";

const PAGE = 200;

/**
 * Writes loops into a file, or with `--all` every one that can be read; those that cannot are told, with exit code 1. The file
 * is whole or not there.
 */
export async function exportLoops(
  context: Context,
  words: readonly string[],
  { all }: { all?: true },
): Promise<Answer> {
  const file = resolve(context.cwd, words.at(-1) ?? "");
  const named = words.slice(0, -1);
  if (all ? named.length > 0 : named.length === 0) {
    const message = all
      ? "With --all no loop is named: give the file alone."
      : "Name the loops, or --all, and then the file to write.";
    throw new LoopError("invalid_input", message);
  }
  if (existsSync(file)) {
    throw new LoopError("invalid_input", `${file} exists already. Name another file.`);
  }
  const loops = await context.parts.loops();
  const ids = all
    ? await everyId(loops)
    : await Promise.all(named.map((name) => wholeLoopId(context, name)));
  const failed: { id: string; reason: string }[] = [];
  const draft = `${file}.${process.pid}.part`;
  try {
    await using out = await open(draft, "wx", 0o600);
    for (const id of ids) {
      try {
        for (const line of await loops.archive(id)) await out.write(`${line}\n`);
      } catch (error) {
        const known = toLoopError(error);
        if (!all || known.code !== "store_corrupt") throw error;
        failed.push({ id, reason: known.message });
      }
    }
    await out.sync();
    await rename(draft, file);
  } catch (error) {
    if (error instanceof LoopError) throw error;
    throw new LoopError("invalid_input", `${file} cannot be written: ${errorText(error)}.`);
  } finally {
    await rm(draft, { force: true });
  }
  const exported = ids.filter((id) => !failed.some((one) => one.id === id));
  return {
    data: { file, exported, failed },
    text: [
      `${counted(exported.length, "loop")} in ${file}.`,
      ...failed.map(({ reason }) => reason),
      "Take them in elsewhere with: ccw-loop import FILE",
    ]
      .map(sanitizeLine)
      .join("\n"),
    exit: failed.length > 0 ? 1 : 0,
  };
}

/** Looked for until nothing new is found: a loop that changes meanwhile moves in the list. */
async function everyId(loops: LocalLoops): Promise<string[]> {
  const ids = new Set<string>();
  for (let before = -1; ids.size > before; ) {
    before = ids.size;
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const page = await loops.list({ offset, limit: PAGE });
      total = page.total;
      for (const { state } of page.loops) ids.add(state.loop_id);
      for (const { id } of page.damaged) ids.add(id);
    }
  }
  return [...ids];
}

/** Makes the loops of a file here. Those that are here already stay; exit code 6 where another one has the name. */
export async function importLoops(context: Context, name: string): Promise<Answer> {
  const file = resolve(context.cwd, name);
  const made: string[] = [];
  const there: string[] = [];
  const failed: { id: string; error: LoopError }[] = [];
  const loops = await context.parts.loops();
  const lines = () => createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  try {
    for (const { id, error, ...one } of await loops.restore(lines)) {
      if (error) failed.push({ id, error });
      else (one.made ? made : there).push(id);
    }
  } catch (error) {
    if (error instanceof LoopError) throw error;
    throw new LoopError("invalid_input", `${file} cannot be read: ${errorText(error)}.`);
  }
  const text = [
    `${counted(made.length, "loop")} taken in; ${there.length} were here already.`,
    ...failed.map(({ error }) => error.message),
    ...(made.length > 0 ? ["What ran is paused. See them with: ccw-loop list"] : []),
  ];
  return {
    data: {
      file,
      made,
      there,
      failed: failed.map(({ id, error }) => ({ id, reason: error.message })),
    },
    text: context.hint(text.map(sanitizeLine).join("\n")),
    exit: failed.length > 0 ? 6 : 0,
  };
}
