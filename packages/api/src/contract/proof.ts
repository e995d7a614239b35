import { type LoopDiff, Receipt, type ReceiptCheck, Square } from "@ccw-loop/core";
import { z } from "zod";
import { dataAnswer, exact, operations } from "./operation.ts";

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

const Check = z
  .object({
    receipt: Receipt,
    result: z.enum(["stands", "falls", "unknown"]),
    problems: z.array(
      z.object({
        kind: z.enum(["receipt", "tree", "result", "missing"]),
        message: z.string(),
        details: z.array(z.string()),
      }),
    ),
    square: Square.nullable(),
  })
  .meta({ id: "ReceiptCheck" }) satisfies z.ZodType<ReceiptCheck>;

export const PROOF = operations("Proof", {
  diffLoop: {
    method: "get",
    path: `${base}/diff`,
    summary: "What changed between two checkpoints; from the start to the newest by default",
    query: exact({ from: checkpoint.exactOptional(), to: checkpoint.exactOptional() }),
    answer: dataAnswer(Diff),
    example,
  },
  verifyLoop: {
    method: "post",
    path: `${base}/verify`,
    failures: [503],
    slow: true,
    summary:
      "Check the newest receipt: its seal, the files, and the square run again in clean rooms",
    body: exact({ command: z.string().min(1).optional() }),
    answer: dataAnswer(Check),
    example: { ...example, body: {} },
  },
});
