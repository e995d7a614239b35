import { z } from "zod";
import { CommandRun, TestCounts, TestStates } from "./test-run.ts";
import { Timestamp } from "./time.ts";

/**
 * How the tests stood before the loop changed anything (DESIGN §7), measured once in INIT. `command` is empty
 * and `reason` says why when there was nothing to run.
 */
export const Baseline = z
  .looseObject({
    at: Timestamp,
    tree: z.string().nullable(),
    command: z.string(),
    reason: z.string(),
    counts: TestCounts,
    tests: TestStates.default({}),
    /** False when there were more tests than are kept with their names: then only counts can be compared. */
    complete: z.boolean().default(true),
    commands: z.array(CommandRun).default([]),
    coverage: z.number().nullable().default(null),
    /** Files in which the reports place tests. */
    test_files: z.array(z.string()).default([]),
    /** The command that was run before the tests, and how it ended. */
    setup: z.looseObject({ command: z.string(), duration_ms: z.number() }).optional(),
    /** Names what was installed in the project then; absent where that is not known. */
    installed: z.string().optional(),
  })
  .meta({ id: "Baseline" });
export type Baseline = z.infer<typeof Baseline>;

/** How many tests a baseline and a receipt keep by name. */
export const TESTS_KEPT = 2000;
