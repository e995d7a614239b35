import { LoopState } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { headline } from "../src/index.ts";

const at = "2026-01-22T10:00:00Z";
const completed = (code: string) =>
  LoopState.parse({
    ...{ loop_id: "a", title: "A", status: "completed", created_at: at, updated_at: at },
    outcome: { code, message: "", at },
  });

test.each([
  ["proven", "good", "Completed and proven:"],
  ["accepted", "warning", "Completed, objections accepted:"],
  ["waived", "warning", "Completed, tests waived:"],
])("the headline of a loop that ended as %s", (code, tone, words) => {
  expect(headline(completed(code))).toEqual([tone, words]);
});
