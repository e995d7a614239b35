import type { RecordedEvent } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { spentByTurn } from "../src/index.ts";

const turn = (cost_usd?: number) =>
  ({ event: { type: "turn.completed", cost_usd } }) as unknown as RecordedEvent;

test("what was spent is summed turn by turn, of those whose cost is known", () => {
  const other = { event: { type: "loop.stopped" } } as unknown as RecordedEvent;
  expect(spentByTurn([turn(0.5), other, turn(), turn(0.25)])).toEqual([0.5, 0.75]);
  expect(spentByTurn([turn(), other])).toEqual([]);
});
