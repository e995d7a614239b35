import { expect, test } from "vitest";
import { type LoopState, readLoopState, statusText, statusWord } from "../src/index.ts";

const AT = "2026-01-22T10:00:00.000Z";

function state(more: Record<string, unknown>): LoopState {
  const raw = { loop_id: "a", title: "t", status: "running", created_at: AT, updated_at: AT };
  return readLoopState({ ...raw, ...more });
}

test.each<[Partial<LoopState>, string, string]>([
  [{ status: "running" }, "running", "running"],
  [
    { status: "completed", outcome: { code: "proven", message: "" } },
    "completed",
    "completed (proven)",
  ],
  [
    { status: "failed", outcome: { code: "max_turns", message: "" } },
    "failed",
    "failed (max_turns)",
  ],
  [{ status: "failed", outcome: { code: "stopped_by_user", message: "" } }, "stopped", "stopped"],
  // A file of upstream: stopped there as well, but it does not tell.
  [{ status: "failed" }, "failed", "failed"],
  [{ status: "user_exit" }, "exited", "exited"],
])("%j is called %s, with its reason %s", (more, word, text) => {
  expect([statusWord(state(more)), statusText(state(more))]).toEqual([word, text]);
});
