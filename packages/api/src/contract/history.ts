import {
  CleanedWorktree,
  Driver,
  Receipt,
  RecordedEvent,
  Recovery,
  Rewound,
  Selection,
  TimelineEntry,
} from "@ccw-loop/core";
import { z } from "zod";
import { dataAnswer, exact, NewId, ONE_LOOP, operations } from "./operation.ts";

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
