import { LoopDiff, PortableReceipt, ReceiptCheck } from "@ccw-loop/core";
import { z } from "zod";
import { dataAnswer, exact, operations } from "./operation.ts";

const base = "/api/loops/v2/:id";
const example = { params: { id: "cart-total" } };

const checkpoint = z.coerce.number("from and to are numbers of checkpoints").int().min(0);

export const PROOF = operations("Proof", {
  diffLoop: {
    method: "get",
    path: `${base}/diff`,
    summary: "What changed between two checkpoints; from the start to the newest by default",
    query: exact({ from: checkpoint.exactOptional(), to: checkpoint.exactOptional() }),
    answer: dataAnswer(LoopDiff.omit({ prefix: true }).meta({ id: "Diff" })),
    example,
  },
  loopReceipt: {
    method: "get",
    path: `${base}/receipt`,
    summary: "The newest receipt, sealed, as a file that `ccw-loop verify` reads elsewhere",
    answer: dataAnswer(PortableReceipt.meta({ id: "PortableReceipt" })),
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
    answer: dataAnswer(ReceiptCheck.meta({ id: "ReceiptCheck" })),
    example: { ...example, body: {} },
  },
});
