import { type LoopCommand, LoopState } from "@ccw-loop/core";
import { expect, test } from "vitest";
import {
  type LoopAnswer,
  linearize,
  loopModel,
  type Operation,
} from "../../soak/src/linearizable/linearize.ts";

const at = "2026-01-22T10:00:00.000Z";
const created = LoopState.parse({
  ...{ loop_id: "a", title: "A", status: "created" },
  ...{ created_at: at, updated_at: at },
});

type Call = Operation<LoopCommand, LoopAnswer>;
const refused: LoopAnswer = { refused: "invalid_transition" };
const call = (
  type: "start" | "pause" | "stop",
  [called, returned]: [number, number | null],
  answer?: LoopAnswer,
): Call => ({ process: type, called, returned, input: { type }, answer });

test.each<[string, boolean, Call[]]>([
  [
    "start, pause",
    true,
    [call("start", [1, 2], { status: "running" }), call("pause", [3, 4], { status: "paused" })],
  ],
  [
    "a pause that was told and is gone",
    false,
    [
      call("start", [1, 2], { status: "running" }),
      call("pause", [3, 4], { status: "paused" }),
      call("pause", [5, 6], { status: "paused" }),
    ],
  ],
  [
    "a pause that is refused although the loop runs",
    false,
    [call("start", [1, 2], { status: "running" }), call("pause", [3, 4], refused)],
  ],
  [
    "of two starts at once, one is refused",
    true,
    [call("start", [1, 4], { status: "running" }), call("start", [2, 3], refused)],
  ],
  [
    "two starts at once that both did it",
    false,
    [call("start", [1, 4], { status: "running" }), call("start", [2, 3], { status: "running" })],
  ],
  [
    "a start nobody heard of, and a pause behind it",
    true,
    [call("start", [1, null]), call("pause", [2, 3], { status: "paused" })],
  ],
  [
    "whoever gave up did nothing",
    true,
    [
      call("stop", [1, 2], { refused: "revision_conflict" }),
      call("start", [3, 4], { status: "running" }),
    ],
  ],
  [
    "nothing goes on behind a stop",
    false,
    [call("stop", [1, 2], { status: "failed" }), call("start", [3, 4], { status: "running" })],
  ],
])("%s: %s", (_name, linearizable, history) => {
  expect(linearize(history, loopModel(created)).linearizable).toBe(linearizable);
});
