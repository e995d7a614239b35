import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { encodeCommit } from "../src/commit/commit-form.ts";
import { createHistory } from "../src/commit/history.ts";
import { newOpenLoop } from "../src/context.ts";
import type { Disk } from "../src/fs/disk.ts";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { catchUp, journalSince, journalText } from "../src/journal/journal.ts";
import { nodeRuntime } from "../src/runtime.ts";
import { faultyDisk } from "./faults.ts";
import { AT, newLoop, noted } from "./loops.ts";
import { makeProject } from "./project.ts";

const head = (revision: number) => ({
  revision,
  actor: "me",
  op_id: `op-${revision}`,
  events: [noted(`${revision}`)],
});
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const lines = (from: number, to: number) =>
  numbers(from, to)
    .map((revision) => journalText(head(revision)))
    .join("");

/** A loop with this journal whose history has these revisions and no others. */
function loopWith(journal: string, revisions: readonly number[]) {
  const loop = newOpenLoop(makeProject(), "a");
  mkdirSync(loop.paths.history);
  writeFileSync(loop.paths.journal, journal);
  for (const revision of revisions) {
    const whole = { ...head(revision), parent: null, epoch: null, at: AT, state: newLoop("a") };
    const name = `${String(revision).padStart(10, "0")}.json`;
    writeFileSync(`${loop.paths.history}/${name}`, encodeCommit(whole).text);
  }
  return loop;
}

function contextOf(disk: Disk) {
  const warnings: string[] = [];
  const warn = (_: string, message: string) => void warnings.push(message);
  return { disk, history: createHistory(disk, nodeRuntime), warn, warnings };
}

test("a writer that others have overtaken by more than the kept revisions overwrites nothing", async () => {
  const loop = loopWith(lines(1, 3), numbers(30, 90));
  const { journal, history } = loop.paths;
  const disk = nodeDisk("process");
  let overtaken = false;
  const context = contextOf({
    ...disk,
    read(path) {
      if (!overtaken && dirname(path) === history) {
        overtaken = true;
        appendFileSync(journal, lines(4, 90));
      }
      return disk.read(path);
    },
  });
  await catchUp(context, loop, 90);
  expect(readFileSync(journal, "utf8")).toBe(lines(1, 90));
  expect(overtaken).toBe(true);
  expect(context.warnings).toEqual([]);
});

test("a revision that is nowhere any more leaves a gap, and the rest is told", async () => {
  const loop = loopWith(lines(1, 3), numbers(6, 8));
  const context = contextOf(nodeDisk("process"));
  await catchUp(context, loop, 8);
  expect(readFileSync(loop.paths.journal, "utf8")).toBe(lines(1, 3) + lines(6, 8));
  expect(context.warnings).toEqual([
    "a.journal.jsonl was damaged and lacks revisions 4 to 5; the state is intact.",
  ]);
});

test("a journal whose end is damaged is replaced only by one whose content is on the disk", async () => {
  const loop = loopWith(`${lines(1, 3)}damaged`, [4]);
  const { journal } = loop.paths;
  const kept = `${journal}.damaged-0`;
  const calls: string[] = [];
  const disk = faultyDisk(({ name, path }) => {
    if (path !== kept) calls.push(name);
  });
  await catchUp(contextOf(disk), loop, 4);
  expect(readFileSync(journal, "utf8")).toBe(lines(1, 4));
  expect(readFileSync(kept, "utf8")).toBe("damaged");
  expect(calls).toEqual(["write", "syncFile", "rename"]);
});

test("of a large journal no more is read than the part that is asked for", async () => {
  const path = `${makeProject()}/large.jsonl`;
  const at = (n: number) => new Date(Date.parse(AT) + n * 60_000).toISOString();
  const lines = Array.from({ length: 3000 }, (_, n) =>
    journalText({
      revision: n + 1,
      actor: "test",
      op_id: `op-${n + 1}`,
      events: [{ type: "loop.edited", at: at(n), changes: { notes: `${n}` } }],
    }),
  );
  writeFileSync(path, lines.join(""));
  const disk = nodeDisk("process");
  let bytes = 0;
  const counting: Disk = {
    ...disk,
    chunks: () => expect.fail("It is not read as a whole."),
    readBytes(file, start, length) {
      bytes += length;
      return disk.readBytes(file, start, length);
    },
  };
  const found: number[] = [];
  for await (const { revision } of journalSince(counting, path, Date.parse(at(2900))))
    found.push(revision);
  expect(found.at(-1)).toBe(3000);
  expect(found[0]).toBeLessThan(2901);
  expect(found).toEqual(Array.from({ length: found.length }, (_, n) => 3001 - found.length + n));
  expect(bytes).toBeLessThan(100_000);
  const all: number[] = [];
  for await (const { revision } of journalSince(disk, path, Date.parse(AT))) all.push(revision);
  expect(all).toHaveLength(3000);
});
