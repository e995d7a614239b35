import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RevisionRange } from "../src/commit/revision-names.ts";
import type { Disk } from "../src/fs/disk.ts";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { catchUp, type JournalSource, journalSince, journalText } from "../src/journal/journal.ts";
import { faultyDisk } from "./faults.ts";
import { AT } from "./loops.ts";
import { makeProject } from "./project.ts";

const line = (revision: number) =>
  `${JSON.stringify({
    revision,
    actor: "me",
    event: {
      type: "loop.edited",
      at: "2026-01-22T10:00:00.000Z",
      changes: { notes: `${revision}` },
    },
  })}\n`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => line(from + i)).join("");

const lost: RevisionRange[] = [];
const DAMAGE = {
  draft: () => join(makeProject(), "draft"),
  displaced: (bytes: Buffer) => expect.fail(`It displaced ${bytes.length} bytes.`),
  lost: (ranges: readonly RevisionRange[]) => void lost.push(...ranges),
};
const sourceOf = (textOf: JournalSource["textOf"]): JournalSource => ({
  textOf,
  between: (after, upTo) => Array.from({ length: upTo - after }, (_, i) => after + 1 + i),
});

test("a writer that others have overtaken by more than the kept revisions overwrites nothing", async () => {
  const path = join(makeProject(), "journal.jsonl");
  writeFileSync(path, lines(1, 3));
  let overtaken = false;
  const textOf = (revision: number) => {
    if (!overtaken) {
      overtaken = true;
      appendFileSync(path, lines(4, 90));
      return line(revision);
    }
    return revision < 30 ? null : line(revision);
  };
  await catchUp(nodeDisk("process"), path, 90, sourceOf(textOf), null, DAMAGE);
  const revisions = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text).revision);
  expect(revisions).toEqual(Array.from({ length: 90 }, (_, i) => i + 1));
});

test("a revision that is nowhere any more leaves a gap, and the rest is told", async () => {
  const path = join(makeProject(), "journal.jsonl");
  writeFileSync(path, lines(1, 3));
  const textOf = (revision: number) => (revision < 6 ? null : line(revision));
  await catchUp(nodeDisk("process"), path, 8, sourceOf(textOf), null, DAMAGE);
  expect(readFileSync(path, "utf8")).toBe(lines(1, 3) + lines(6, 8));
  expect(lost).toEqual([{ from: 4, to: 5 }]);
});

test("a journal whose end is damaged is replaced only by one whose content is on the disk", async () => {
  const path = join(makeProject(), "journal.jsonl");
  writeFileSync(path, `${lines(1, 3)}damaged`);
  const calls: string[] = [];
  const disk = faultyDisk(({ name }) => calls.push(name));
  const displaced: string[] = [];
  const damage = { ...DAMAGE, displaced: (bytes: Buffer) => void displaced.push(String(bytes)) };
  await catchUp(
    disk,
    path,
    4,
    sourceOf((revision) => (revision < 4 ? null : line(revision))),
    null,
    damage,
  );
  expect(readFileSync(path, "utf8")).toBe(lines(1, 4));
  expect(displaced).toEqual(["damaged"]);
  expect(calls.filter((name) => ["write", "syncFile", "rename"].includes(name))).toEqual([
    "write",
    "syncFile",
    "rename",
  ]);
});

test("of a large journal no more is read than the part that is asked for", async () => {
  const root = makeProject();
  const path = join(root, "large.jsonl");
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
