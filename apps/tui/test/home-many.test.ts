import { summaryOf } from "@ccw-loop/core";
import { HEALTHS, type LoopRow, rowOf, sortedRows } from "@ccw-loop/view";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startOfHome } from "../src/model/screen-states.ts";
import { stepped } from "../src/screens/home/list.ts";
import { Told } from "./support/recorded-loop.ts";
import { fittingFrame } from "./support/seen.tsx";
import { made } from "./support/some-loops.ts";

const SIZE = { columns: 80, rows: 24 };
const one = rowOf(summaryOf(await made({})));

/** Rows of every health, in no order; `read` is told of each title, health and time that is looked at. */
function manyRows(count: number, read = () => {}): Map<string, LoopRow> {
  const rows = Array.from({ length: count }, (_, i) => ({
    ...one,
    id: `loop-${i}`,
    get health() {
      read();
      return HEALTHS[i % HEALTHS.length] ?? "done";
    },
    get updatedAt() {
      read();
      return (i * 7919) % count;
    },
    get title() {
      read();
      return `Loop ${i} 漢字 🛒`;
    },
  }));
  return new Map(rows.map((row) => [row.id, row]));
}

test("of 10,000 loops only those that are visible are looked at", () => {
  let reads = 0;
  const { model } = new Told(SIZE);
  const rows = manyRows(10_000, () => {
    reads += 1;
  });
  const loops = { rows, total: 10_000, damaged: [], complete: true };
  let state = startOfHome;
  fittingFrame({ ...model, loops, stack: [state] });
  for (let page = 0; page < 50; page += 1) {
    state = stepped(state, loops, { move: "pagedown", page: 16 });
    reads = 0;
    fittingFrame({ ...model, loops, stack: [state] });
    expect(reads).toBeLessThan(100);
  }
});

const COMPARED = {
  health: ({ health, updatedAt, id }: LoopRow) => [HEALTHS.indexOf(health), -updatedAt, id],
  newest: ({ updatedAt, id }: LoopRow) => [-updatedAt, id],
  oldest: ({ updatedAt, id }: LoopRow) => [updatedAt, id],
  name: ({ title, id }: LoopRow) => [title, id],
} as const;

test("rows that came, went and changed one after the other stand where they would if they were sorted anew", () => {
  const row = fc.record({
    id: fc.constantFrom(..."abcdefgh"),
    title: fc.constantFrom("a", "b", "c"),
    health: fc.constantFrom(...HEALTHS),
    updatedAt: fc.nat(3),
  });
  const changes = fc.array(fc.array(fc.tuple(row, fc.boolean()), { maxLength: 4 }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(changes, fc.constantFrom("health", "newest", "oldest", "name"), (batches, sort) => {
      let rows = new Map<string, LoopRow>();
      for (const batch of batches) {
        rows = new Map(rows);
        for (const [change, goes] of batch) {
          if (goes) rows.delete(change.id);
          else rows.set(change.id, { ...one, ...change });
        }
        const sorted = sortedRows(rows, sort);
        const keys = sorted.map(COMPARED[sort]);
        expect(new Set(sorted)).toEqual(new Set(rows.values()));
        expect(keys).toEqual(keys.toSorted(inOrder));
      }
    }),
  );
});

function inOrder(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  const [one, other] = [a[at] ?? 0, b[at] ?? 0];
  return one < other ? -1 : one > other ? 1 : 0;
}
