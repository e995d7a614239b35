import { z } from "zod";
import { Timestamp } from "./time.ts";

/** One test of one run (seed 000). */
export const TestResult = z
  .looseObject({
    test_name: z.string(),
    suite: z.string().default(""),
    status: z.enum(["passed", "failed", "skipped"]),
    duration_ms: z.number().default(0),
    error_message: z.string().nullable().default(null),
    stack_trace: z.string().nullable().default(null),
  })
  .meta({ id: "TestResult" });
export type TestResult = z.infer<typeof TestResult>;

/** Counts over all tests of a run. */
export const TestCounts = z.object({
  total: z.int(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
});
export type TestCounts = z.infer<typeof TestCounts>;

/**
 * The orchestrator's own proof of a test run (DESIGN §7). `tree_after` names the content that was tested;
 * `null` where no workspace can name one. `waived` carries the operator's reason instead of a run.
 */
export const Receipt = z
  .looseObject({
    id: z.string(),
    iteration: z.int(),
    command: z.string(),
    cwd: z.string(),
    started_at: Timestamp,
    duration_ms: z.number(),
    exit_code: z.int().nullable(),
    report: z.string().nullable(),
    counts: TestCounts,
    passed: z.boolean(),
    reason: z.string(),
    tree_before: z.string().nullable(),
    tree_after: z.string().nullable(),
    test_files: z.record(z.string(), z.string()).default({}),
    waived: z.string().optional(),
  })
  .meta({ id: "Receipt" });
export type Receipt = z.infer<typeof Receipt>;

/** How many receipts the state file keeps; older ones live on in the journal. */
export const RECEIPTS_KEPT = 20;
