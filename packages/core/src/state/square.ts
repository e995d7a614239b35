import { z } from "zod";
import { CommandRun, TestCounts } from "./test-run.ts";

/** One run of the square (DESIGN §7): which sources with which tests, and what came of it. */
export const Cell = z.looseObject({
  command: z.string(),
  /** `in_place`: in the project as it lies there; `clean_room`: in a fresh checkout beside it. */
  where: z.enum(["in_place", "clean_room"]),
  exit_code: z.int().nullable(),
  counts: TestCounts,
  commands: z.array(CommandRun).default([]),
  /** Identities of tests that failed; the first 200. */
  failed: z.array(z.string()).default([]),
  /** SHA-256 over every test and how it ended. */
  tests_digest: z.string().nullable().default(null),
  /** One sentence. */
  reason: z.string(),
  duration_ms: z.number(),
});
export type Cell = z.infer<typeof Cell>;

/** A further run that looks at who judges: the canary and falsified tests, the replay, direct runs. */
export const ProofCheck = z.looseObject({
  kind: z.enum(["canary", "replay", "direct"]),
  /** `not_run` where it does not exist for the runner, or could not be made; `reason` says why. */
  result: z.enum(["held", "failed", "not_run"]),
  reason: z.string(),
  /** How many things it looked at: tests that had to be red, calls that were repeated. */
  looked_at: z.int().default(0),
  duration_ms: z.number().default(0),
});
export type ProofCheck = z.infer<typeof ProofCheck>;

/** The proof: four runs of the tests, and what was laid over what. */
export const Square = z.looseObject({
  /** Names of the content at the start and now, and the commits that keep them. */
  start: z.looseObject({ tree: z.string(), commit: z.string() }),
  present: z.looseObject({ tree: z.string(), commit: z.string() }),
  /** Changed paths by what they were taken for. `doubtful` ones were laid over only in a second try. */
  sources: z.array(z.string()).default([]),
  tests: z.array(z.string()).default([]),
  doubtful: z.array(z.string()).default([]),
  /** Paths that others changed while the loop worked: they are those of the present in every room. */
  outside: z.array(z.string()).default([]),
  cells: z.object({
    baseline: Cell,
    /** The start in the clean room; only where the verdict needed it. */
    start: Cell.nullable().default(null),
    verdict: Cell.nullable().default(null),
    counterfactual: Cell.nullable().default(null),
    present: Cell,
  }),
  /** Tests that fail without the change and pass with it. */
  witnesses: z.array(z.string()).default([]),
  /** Tests that could not run in the clean room and were judged in place. */
  in_place: z.array(z.string()).default([]),
  checks: z.array(ProofCheck).default([]),
  /** For people; they block nothing. */
  remarks: z.array(z.string()).default([]),
});
export type Square = z.infer<typeof Square>;
