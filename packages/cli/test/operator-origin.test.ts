import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { markDriving } from "../src/runtime/operator-origin.ts";

const marked = () => process.env.CCW_LOOP_DRIVES?.split("\n") ?? [];

function project(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ccw-mark-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test.each([
  { order: "in the order in which they began", first: 0, second: 1 },
  { order: "the later one first", first: 1, second: 0 },
])("drives that overlap leave no mark when they end $order", ({ first, second }) => {
  const before = marked();
  const roots = [project(), project()];
  const marks = roots.map((root) => markDriving(root));
  expect(marked()).toEqual([...before, ...roots]);
  marks[first]?.[Symbol.dispose]();
  expect(marked()).toEqual([...before, roots[second]]);
  marks[second]?.[Symbol.dispose]();
  expect(marked()).toEqual(before);
});

test("two drives of one project mark it until both have ended", () => {
  const before = marked();
  const root = project();
  const [one, other] = [markDriving(root), markDriving(root)];
  one[Symbol.dispose]();
  expect(marked()).toEqual([...before, root]);
  other[Symbol.dispose]();
  expect(marked()).toEqual(before);
});
