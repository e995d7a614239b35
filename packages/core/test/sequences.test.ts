import { expect, test } from "vitest";
import { type LoopEvent, LoopState, replay, selectNextAction } from "../src/index.ts";

const at = "2026-01-22T10:00:00.000Z";

test("a created and started loop is initialized first", () => {
  const loop = LoopState.parse({
    loop_id: "a",
    title: "t",
    status: "created",
    created_at: "2026-01-22T10:00:00+08:00",
    updated_at: at,
  });
  expect(loop.created_at).toBe("2026-01-22T02:00:00.000Z");
  const events: LoopEvent[] = [
    { type: "loop.created", at, loop },
    { type: "loop.started", at },
  ];
  expect(selectNextAction(replay(events)).action).toBe("INIT");
});
