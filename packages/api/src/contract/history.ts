import {
  ActionName,
  type Driver,
  LoopState,
  LoopStatus,
  Receipt,
  RecordedEvent,
  type Recovery,
  type Rewound,
  type Selection,
  TestCounts,
  type TimelineEntry,
} from "@ccw-loop/core";
import { z } from "zod";
import { dataAnswer, exact, NewId, ONE_LOOP, operations } from "./operation.ts";

const base = "/api/loops/v2/:id";
const proven = { params: { id: "cart-total" } };

const Why = z
  .object({
    action: ActionName.nullable(),
    rule: z.int(),
    reason: z.string(),
    guards: z.array(
      z.object({
        name: z.string(),
        value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
      }),
    ),
    asks: z.literal("no_progress").exactOptional(),
    driven_by: z.string().nullable().describe("The owner of its lease."),
    undriven_since: z
      .string()
      .nullable()
      .describe("Since when nobody drives a loop that is to be driven."),
  })
  .meta({ id: "Why" }) satisfies z.ZodType<Selection & Driver>;

const Entry = z
  .object({
    checkpoint: z.int().nullable(),
    action: ActionName.nullable().describe("Null for what changed from outside."),
    at: z.string(),
    outcome: z.enum(["completed", "failed", "interrupted", "outside"]),
    message: z.string(),
    task_id: z.string().nullable(),
    active_ms: z.number(),
    tokens: z.number(),
    turns: z.int(),
    diffstat: z.object({ files: z.int(), added: z.int(), removed: z.int() }).nullable(),
    tests: TestCounts.extend({ passed_overall: z.boolean() }).nullable(),
    rewound: z.boolean().describe("Whether a rewind took it back."),
  })
  .meta({ id: "TimelineEntry" }) satisfies z.ZodType<TimelineEntry>;

const RecoveryShape = z
  .object({
    source: z.enum(["journal", "documents"]),
    state: LoopState,
    unknown: z.array(z.string()).describe("Fields that the documents cannot tell."),
    notes: z.array(z.string()),
  })
  .meta({ id: "Recovery" }) satisfies z.ZodType<Recovery>;

const Cleaned = z
  .object({
    id: z.string(),
    path: z.string(),
    branch: z.string(),
    top: z.string(),
    bytes: z.number(),
    dirty: z.boolean(),
    made_at: z.string().nullable(),
    status: LoopStatus.nullable(),
    removed: z.boolean(),
    reason: z.string().nullable().describe("Why it stays."),
  })
  .meta({ id: "CleanedWorktree" });

export const HISTORY = operations("History", {
  whyLoop: {
    method: "get",
    path: `${base}/why`,
    summary: "What the loop would do next, and why",
    answer: dataAnswer(Why),
    example: { params: { id: "night-shift" } },
  },
  loopTimeline: {
    method: "get",
    path: `${base}/timeline`,
    summary: "Every action in order, with what it changed and used",
    answer: dataAnswer(z.array(Entry)),
    example: proven,
  },
  loopReceipts: {
    method: "get",
    path: `${base}/receipts`,
    summary: "The proofs of the newest test runs",
    answer: dataAnswer(z.array(Receipt)),
    example: proven,
  },
  loopJournal: {
    method: "get",
    path: `${base}/journal`,
    summary: "Every recorded event, from behind a revision on",
    query: exact({
      after: z.coerce.number("after must be a revision, a whole number").int().min(0).default(0),
    }),
    answer: { ndjson: RecordedEvent.meta({ id: "RecordedEvent" }) },
    example: { ...proven, query: { after: "1" } },
  },
  rewindLoop: {
    method: "post",
    path: `${base}/rewind`,
    summary: "Take files and state back to a checkpoint",
    body: exact({
      to: z.int("to must be the number of a checkpoint").min(0),
      force: z.boolean().optional().describe("Also over files that others changed as well."),
    }),
    answer: dataAnswer(
      z.object({
        state: LoopState,
        kept: z.string().nullable().describe("The commit that keeps the files as they were."),
        left: z.array(z.string()).describe("Files that stay: they were changed from outside."),
      }) satisfies z.ZodType<Rewound>,
    ),
    example: { ...proven, body: { to: 0 } },
  },
  forkLoop: {
    method: "post",
    path: `${base}/fork`,
    summary: "Make a new loop that begins at a checkpoint, in a worktree of its own",
    body: exact({
      from: z.int("from must be the number of a checkpoint").min(0),
      id: NewId.exactOptional(),
      title: z.string().trim().min(1).exactOptional(),
    }),
    ...ONE_LOOP,
    example: { ...proven, body: { from: 0, id: "cart-again" } },
  },
  recoverLoop: {
    method: "post",
    path: `${base}/recover`,
    summary: "Rebuild a damaged loop, or only say how",
    body: exact({ dry_run: z.boolean("dry_run must be true or false").default(true) }),
    answer: dataAnswer(RecoveryShape),
    example: { ...proven, body: { dry_run: true } },
  },
  cleanWorktrees: {
    method: "post",
    path: "/api/worktrees/clean",
    summary: "Remove the worktrees of loops that have ended",
    body: exact({ dry_run: z.boolean().optional(), force: z.boolean().optional() }),
    answer: dataAnswer(z.array(Cleaned)),
    example: { body: { dry_run: true } },
  },
});
