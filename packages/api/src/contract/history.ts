import {
  Activity,
  CleanedWorktree,
  Driver,
  LoopDiff,
  PortableReceipt,
  PROGRESS_FILES,
  Receipt,
  ReceiptCheck,
  RecordedEvent,
  Recovery,
  Rewound,
  Selection,
  TimelineEntry,
} from "@ccw-loop/core";
import { z } from "zod";
import { Count, dataAnswer, exact, NewId, ONE_LOOP, operations } from "./operation.ts";

const base = "/api/loops/v2/:id";
const proven = { params: { id: "cart-total" } };

export const HISTORY = operations("History", {
  whyLoop: {
    method: "get",
    path: `${base}/why`,
    summary: "What the loop would do next, and why",
    answer: dataAnswer(Selection.extend(Driver.shape).meta({ id: "Why" })),
    example: { params: { id: "night-shift" } },
  },
  loopTimeline: {
    method: "get",
    path: `${base}/timeline`,
    summary: "Every action in order, with what it changed and used",
    answer: dataAnswer(z.array(TimelineEntry.meta({ id: "TimelineEntry" }))),
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
    answer: dataAnswer(Rewound),
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
    creates: true,
    ...ONE_LOOP,
    example: { ...proven, body: { from: 0, id: "cart-again" } },
  },
  recoverLoop: {
    method: "post",
    path: `${base}/recover`,
    summary: "Rebuild a damaged loop, or only say how",
    body: exact({ dry_run: z.boolean("dry_run must be true or false").default(true) }),
    answer: dataAnswer(Recovery.meta({ id: "Recovery" })),
    example: { ...proven, body: { dry_run: true } },
  },
  cleanWorktrees: {
    method: "post",
    path: "/api/worktrees/clean",
    summary: "Remove the worktrees of loops that have ended",
    body: exact({ dry_run: z.boolean().optional(), force: z.boolean().optional() }),
    answer: dataAnswer(z.array(CleanedWorktree.meta({ id: "CleanedWorktree" }))),
    example: { body: { dry_run: true } },
  },
});

const checkpoint = z.coerce.number("from and to are numbers of checkpoints").int().min(0);

export const PROOF = operations("Proof", {
  diffLoop: {
    method: "get",
    path: `${base}/diff`,
    summary: "What changed between two checkpoints; from the start to the newest by default",
    query: exact({ from: checkpoint.exactOptional(), to: checkpoint.exactOptional() }),
    answer: dataAnswer(LoopDiff.omit({ prefix: true }).meta({ id: "Diff" })),
    example: proven,
  },
  loopReceipt: {
    method: "get",
    path: `${base}/receipt`,
    summary: "The newest receipt, sealed, as a file that `ccw-loop verify` reads elsewhere",
    answer: dataAnswer(PortableReceipt.meta({ id: "PortableReceipt" })),
    example: proven,
  },
  verifyLoop: {
    method: "post",
    path: `${base}/verify`,
    failures: [503],
    slow: true,
    summary:
      "Check the newest receipt: its seal, the files, and the square run again in clean rooms",
    body: exact({ command: z.string().min(1).optional() }),
    answer: dataAnswer(ReceiptCheck.meta({ id: "ReceiptCheck" })),
    example: { ...proven, body: {} },
  },
});

export const MARKDOWN = "text/markdown";
export const NDJSON = "application/x-ndjson";
export const JSON_TEXT = "application/json";

export const PROGRESS = operations("Progress", {
  listProgress: {
    method: "get",
    path: `${base}/progress`,
    summary: "Names of the progress documents that there are",
    answer: dataAnswer(z.array(z.enum(PROGRESS_FILES))),
    example: proven,
  },
  readProgress: {
    method: "get",
    path: `${base}/progress/:document`,
    summary: "One progress document",
    answer: { text: [MARKDOWN, NDJSON, JSON_TEXT] },
    example: { params: { id: "cart-total", document: "develop.md" } },
  },
  loopLogs: {
    method: "get",
    path: `${base}/logs`,
    summary: "What the agent and the tests did, from the beginning or behind a record",
    query: exact({
      after: Count.describe("Only what comes behind the record with this `seq`."),
      follow: z
        .stringbool({ error: "follow must be true or false" })
        .default(false)
        .describe(
          "`true`: go on with what happens from now on; an empty line every 15 s while nothing does.",
        ),
    }),
    answer: { ndjson: Activity },
    example: proven,
  },
});
