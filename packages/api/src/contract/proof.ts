import {
  CommandRun,
  type LoopDiff,
  Receipt,
  type ReceiptCheck,
  TestCounts,
  TestResult,
  type Verification,
} from "@ccw-loop/core";
import { z } from "zod";
import { success } from "./answers.ts";
import { exact } from "./exact.ts";
import { type Operation, operation } from "./operation.ts";

const topic = "Proof";
const base = "/api/loops/v2/:id";
const example = { params: { id: "cart-total" } };

const Diff = z
  .object({
    from: z.int(),
    to: z.int(),
    files: z.array(
      z.object({
        path: z.string(),
        kind: z.enum(["added", "modified", "deleted"]),
        added: z.int().nullable(),
        removed: z.int().nullable(),
      }),
    ),
    patch: z.string(),
  })
  .meta({ id: "Diff" }) satisfies z.ZodType<LoopDiff>;

const checkpoint = z.coerce.number("from and to are numbers of checkpoints").int().min(0);

export const diffLoop = operation({
  id: "diffLoop",
  method: "get",
  path: `${base}/diff`,
  topic,
  summary: "What changed between two checkpoints; from the start to the newest by default",
  query: exact({ from: checkpoint.optional(), to: checkpoint.optional() }),
  answer: { json: success({ data: Diff }) },
  example,
});

const Rerun = z
  .object({
    command: z.string(),
    started_at: z.string(),
    duration_ms: z.number(),
    exit_code: z.int().nullable(),
    report: z.string().nullable(),
    counts: TestCounts,
    tests: z.array(TestResult),
    coverage: z.number().nullable(),
    coverage_files: z.array(
      z.object({
        path: z.string(),
        lines: z.number(),
        hit: z.array(z.int()),
        missed: z.array(z.int()),
      }),
    ),
    passed: z.boolean(),
    reason: z.string(),
    output_tail: z.string(),
    test_files: z.record(z.string(), z.string()),
    commands: z.array(CommandRun),
    environment: z.string(),
  })
  .meta({ id: "Verification" }) satisfies z.ZodType<Verification>;

const Check = z
  .object({
    receipt: Receipt,
    ok: z.boolean(),
    problems: z.array(
      z.object({
        kind: z.enum(["receipt", "tree", "test_files", "result", "rerun"]),
        message: z.string(),
        details: z.array(z.string()),
      }),
    ),
    rerun: Rerun.nullable(),
    where: z.enum(["checkout", "in_place", "nowhere"]),
  })
  .meta({ id: "ReceiptCheck" }) satisfies z.ZodType<ReceiptCheck>;

export const verifyLoop = operation({
  id: "verifyLoop",
  method: "post",
  path: `${base}/verify`,
  failures: [503],
  slow: true,
  topic,
  summary: "Check the newest receipt: against its digest, the journal, the files, and a new run",
  answer: { json: success({ data: Check }) },
  example,
});

export const PROOF_OPERATIONS: readonly Operation[] = [diffLoop, verifyLoop];
