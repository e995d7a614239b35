import { z } from "zod";
import type { Known } from "../known.ts";
import { Timestamp } from "./scalars.ts";

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
