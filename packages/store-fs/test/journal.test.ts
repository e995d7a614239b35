import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RevisionRange } from "../src/commit/revision-names.ts";
import { nodeDisk } from "../src/fs/node-disk.ts";
import { catchUp, type JournalSource } from "../src/journal/journal.ts";
import { faultyDisk } from "./faults.ts";
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
