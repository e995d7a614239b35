import { z } from "zod";
import type { Known } from "../json.ts";
import { Timestamp } from "./scalars.ts";
import { Baseline, CommandRun, TestCounts, TestStates } from "./test-run.ts";

/** One run of the square: which sources with which tests, and what came of it. */
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
export type Cell = Known<z.infer<typeof Cell>>;

/** A further run that looks at who judges: the canary and falsified tests, emptied sources, the replay, direct runs. */
export const ProofCheck = z.looseObject({
  kind: z.enum(["canary", "emptied", "replay", "direct"]),
  /** `not_run` where it does not exist for the runner, or could not be made; `reason` says why. */
  result: z.enum(["held", "failed", "not_run"]),
  reason: z.string(),
  /** How many things it looked at: tests that had to be red, calls that were repeated. */
  looked_at: z.int().default(0),
  duration_ms: z.number().default(0),
});
export type ProofCheck = Known<z.infer<typeof ProofCheck>>;

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
export type Square = Known<z.infer<typeof Square>>;

/** A run beside the baseline, by test id (ADR 11). */
export const Comparison = z.looseObject({
  new_failures: z.array(z.string()),
  fixed: z.array(z.string()),
  still_failing: z.array(z.string()),
  /** Those of `still_failing` that this loop has to turn green. */
  owed: z.array(z.string()),
  flaky: z.array(z.string()),
  removed: z.array(z.string()),
  added: z.array(z.string()),
});
export type Comparison = Known<z.infer<typeof Comparison>>;

/** Why a passing run does not prove the work by itself; a person may accept it (ADR 12). */
export const Objection = z.looseObject({
  /** Names this very objection: the same change to the same lines has the same key. */
  key: z.string(),
  /** What raised it: a cell of the square (`verdict`, `counterfactual`, `witness`, `owed`), a check (`canary`, `replay`), a review (`finding`, `review_test`), … */
  kind: z.string(),
  /** The file it is about; empty where it is about no single one. */
  path: z.string().default(""),
  line: z.int().optional(),
  /** Identities of the tests that raised it; the first 50. */
  tests: z.array(z.string()).optional(),
  message: z.string(),
});
export type Objection = Known<z.infer<typeof Objection>>;

/** What a reviewer says is wrong; its word, and no result of a run. */
export const Finding = z.looseObject({
  /** The file it is about; empty where it is about no single one. */
  file: z.string(),
  line: z.int().nullable().default(null),
  problem: z.string(),
});
export type Finding = Known<z.infer<typeof Finding>>;

/** A test that a reviewer wrote. It is run beside the sources in a clean room, and never lies in the project. */
export const ReviewTest = z.looseObject({
  /** Where it is put, from the project root. */
  path: z.string(),
  /** Enciphered with the key of the receipts: the agent whose work it tests can read state files. */
  text: z.string(),
  /** `not_run` where no runner of the project took it, or it could not be put there; `reason` says why. */
  result: z.enum(["passed", "failed", "not_run"]),
  /** What it printed where it failed. */
  reason: z.string(),
});
export type ReviewTest = Known<z.infer<typeof ReviewTest>>;

/** A second opinion: what another agent said of work that the runs had proven. */
export const Review = z.looseObject({
  agent: z.string(),
  /** From 1; one that was not made has the number of the next. */
  round: z.int().positive(),
  at: Timestamp,
  /** The content that it saw. */
  tree: z.string().nullable(),
  /** Why it was not made: then it says nothing of the work. */
  problem: z.string().optional(),
  findings: z.array(Finding).default([]),
  tests: z.array(ReviewTest).default([]),
});
export type Review = Known<z.infer<typeof Review>>;

/** Settings of a loop that narrow the judgement, as they were when the receipt was given. */
export const ReceiptTerms = z.looseObject({
  known_red: z.array(z.string()).optional(),
  targets: z.array(z.string()).optional(),
  allow_test_changes: z.array(z.string()).optional(),
  expect: z.enum(["change", "unchanged"]).optional(),
});

/**
 * The orchestrator's own proof of a test run. `tree_after` names the content that was tested;
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
    /** Of the command that decides: the first that did not pass, else the last. */
    exit_code: z.int().nullable(),
    /** The report format that was read; null when judged by exit codes alone. */
    report: z.string().nullable(),
    counts: TestCounts,
    passed: z.boolean(),
    /** One sentence: why it passed or not. */
    reason: z.string(),
    /** The end of what the tests printed. */
    output_tail: z.string().optional(),
    tree_before: z.string().nullable(),
    tree_after: z.string().nullable(),
    /** Test files of the project by path, with the SHA-256 of their content. */
    test_files: z.record(z.string(), z.string()).default({}),
    waived: z.string().optional(),
    commands: z.array(CommandRun).default([]),
    /** These and `test_files` are kept in the newest receipt only; older ones have theirs in the journal. */
    tests: TestStates.optional(),
    /** SHA-256 over all of `tests`. */
    tests_digest: z.string().nullable().default(null),
    /** How often the tests ran for this verdict: to confirm a pass, or to tell a flaky test. */
    runs: z.int().positive().default(1),
    comparison: Comparison.optional(),
    objections: z.array(Objection).default([]),
    /** The four runs; absent as long as the present was not green or work was open. */
    square: Square.optional(),
    /** What other agents said of the work, round by round; those of earlier receipts as well. */
    reviews: z.array(Review).optional(),
    /** The checkpoint of the tested files. */
    checkpoint: z.string().nullable().default(null),
    /** Untracked files that change by themselves and are no part of what was tested. */
    left_out: z.array(z.string()).optional(),
    /** What the operator said that narrows the judgement. */
    terms: ReceiptTerms.optional(),
    /** SHA-256 of the baseline that the runs were judged beside. */
    baseline_digest: z.string().nullable().default(null),
    /** `hmac-sha256:{name of the key}:{HMAC}` over the receipt without this field; the key lies with the user, outside of the project. */
    seal: z.string().optional(),
  })
  .meta({ id: "Receipt" });
export type Receipt = Known<z.infer<typeof Receipt>>;

/** How many receipts the state file keeps; older ones live on in the journal. */
export const RECEIPTS_KEPT = 20;

/** The format of `PortableReceipt` that this version writes and reads. */
export const PORTABLE_FORMAT = "ccw-loop-receipt/1";

/**
 * A receipt as a file that travels: with the baseline it was judged beside and the objections that the operator accepted,
 * and without folders of the machine. `seal` is as that of a receipt, over the whole file.
 */
export const PortableReceipt = z.looseObject({
  format: z.literal(PORTABLE_FORMAT),
  loop_id: z.string(),
  receipt: Receipt,
  baseline: Baseline.nullable(),
  accepted: z.array(z.string()),
  seal: z.string().optional(),
});
export type PortableReceipt = Known<z.infer<typeof PortableReceipt>>;
