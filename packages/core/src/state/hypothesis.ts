import { z } from "zod";

export const HypothesisStatus = z.enum(["pending", "confirmed", "rejected", "inconclusive"]);

/** A testable guess about a cause (seed 000). `likelihood` 1 is the most likely. */
export const Hypothesis = z
  .looseObject({
    id: z.string().min(1),
    description: z.string(),
    testable_condition: z.string().default(""),
    logging_point: z.string().default(""),
    evidence_criteria: z
      .looseObject({ confirm: z.string().default(""), reject: z.string().default("") })
      .prefault({}),
    likelihood: z.number().default(1),
    status: HypothesisStatus.default("pending"),
    evidence: z
      .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .nullable()
      .default(null),
    verdict_reason: z.string().nullable().default(null),
  })
  .meta({ id: "Hypothesis" });
export type Hypothesis = z.infer<typeof Hypothesis>;
