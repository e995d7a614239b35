import { expect, test } from "vitest";
import { type LoopState, statusText, statusWord } from "../src/index.ts";
import { loop } from "./given.ts";

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
  expect([statusWord(loop(more)), statusText(loop(more))]).toEqual([word, text]);
});
