import { expect, test } from "vitest";
import { markDriving } from "../src/runtime/operator-origin.ts";
import { emptyFolder } from "./support/folder.ts";

const marked = () => process.env.CCW_LOOP_DRIVES?.split("\n") ?? [];

test.each([
  { order: "in the order in which they began", first: 0, second: 1 },
  { order: "the later one first", first: 1, second: 0 },
])("drives that overlap leave no mark when they end $order", ({ first, second }) => {
  const before = marked();
  const roots = [emptyFolder(), emptyFolder()];
  const marks = roots.map((root) => markDriving(root));
  expect(marked()).toEqual([...before, ...roots]);
  marks[first]?.[Symbol.dispose]();
  expect(marked()).toEqual([...before, roots[second]]);
  marks[second]?.[Symbol.dispose]();
  expect(marked()).toEqual(before);
});

test("two drives of one project mark it until both have ended", () => {
  const before = marked();
  const root = emptyFolder();
  const [one, other] = [markDriving(root), markDriving(root)];
  one[Symbol.dispose]();
  expect(marked()).toEqual([...before, root]);
  other[Symbol.dispose]();
  expect(marked()).toEqual(before);
});
