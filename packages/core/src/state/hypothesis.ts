import { z } from "zod";
import type { Known } from "../json.ts";
import { Timestamp } from "./scalars.ts";

export const Relation = z.enum(["<", "<=", "=", "!=", ">=", ">"]);
export type Relation = Known<z.infer<typeof Relation>>;

/** One thing about a run that can be compared. Text is that of stdout and stderr together, without space around it. */
export const Condition = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("exit_code"), compare: Relation, value: z.int() }),
  z.looseObject({
    kind: z.literal("text"),
    how: z.enum(["is", "contains", "lacks"]),
    text: z.string(),
  }),
  /** A regular expression, with the flags `mu`. */
  z.looseObject({
    kind: z.literal("pattern"),
    pattern: z.string().min(1),
    found: z.boolean().default(true),
  }),
  /** The first match of `pattern`, its first group where it has one, read as a decimal number. */
  z.looseObject({
    kind: z.literal("number"),
    pattern: z.string().min(1),
    compare: Relation,
    value: z.number(),
  }),
]);
export type Condition = Known<z.infer<typeof Condition>>;

/** Conditions that are all met. Empty in states of older versions: nothing was predicted that can be compared. */
export const Prediction = z.array(Condition);
export type Prediction = Known<z.infer<typeof Prediction>>;

/** Which of its two predictions a probe met; `neither` also where it did not end in time. */
export const PredictionOutcome = z.enum(["holds", "does_not_hold", "neither", "both"]);
export type PredictionOutcome = Known<z.infer<typeof PredictionOutcome>>;

/** A prediction in words: `exit code = 1 and output contains "849.15"`. Facts of older versions have none. */
export function predictionText(prediction: Prediction | undefined): string {
  return (prediction ?? []).map(conditionText).join(" and ");
}

function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case "exit_code":
      return `exit code ${condition.compare} ${condition.value}`;
    case "text":
      return `output ${condition.how} ${JSON.stringify(condition.text)}`;
    case "pattern":
      return `output ${condition.found ? "matches" : "does not match"} /${condition.pattern}/`;
    case "number":
      return `number of /${condition.pattern}/ ${condition.compare} ${condition.value}`;
  }
}

export const HypothesisStatus = z.enum(["pending", "confirmed", "rejected", "inconclusive"]);
export type HypothesisStatus = Known<z.infer<typeof HypothesisStatus>>;

/** How a hypothesis is put to the test: a command, or (`null`) the project's own tests. */
export const Probe = z.looseObject({
  command: z.string().nullable(),
  /** What it shows if the hypothesis holds, and what if it does not; both stated before it is run. */
  if_holds: Prediction.default([]),
  if_not: Prediction.default([]),
});
export type Probe = Known<z.infer<typeof Probe>>;

/** What one run of a probe showed; a line of debug.log. `ts` is in epoch milliseconds. */
export const ProbeEvidence = z.looseObject({
  hid: z.string(),
  ts: z.number(),
  func: z.literal("probe"),
  data: z.looseObject({
    command: z.string(),
    /** The probe as it was stated; absent in states of older versions. */
    probe: Probe.optional(),
    exit_code: z.int().nullable(),
    duration_ms: z.number(),
    /** Its last lines. */
    output: z.string(),
    timed_out: z.boolean().optional(),
    /** Why it could not be run at all; then it shows nothing. */
    not_run: z.string().optional(),
    /** Which prediction it met; absent where it was not run, or nothing was predicted that can be compared. */
    shows: PredictionOutcome.optional(),
    /** An empty folder shows the very same, so it says nothing about the project. */
    asks_nothing: z.boolean().optional(),
    /** It was run again after the fix of its confirmed cause, by a VALIDATE. */
    after_fix: z.boolean().optional(),
    /** Files that held instrumentation while it ran. */
    instrumented: z.array(z.string()).default([]),
    /** Which DEBUG, by the number of its note, and which round in it. */
    iteration: z.int().optional(),
    round: z.int().optional(),
  }),
});
export type ProbeEvidence = Known<z.infer<typeof ProbeEvidence>>;

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
    /** What the orchestrator recorded; in files of other tools also what an agent said. */
    evidence: z
      .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .nullable()
      .default(null),
    verdict_reason: z.string().nullable().default(null),
    probe: Probe.nullish(),
    /** The failing tests it would explain, by id. */
    explains: z.array(z.string()).optional(),
    /** When every test it explains was green again; a confirmed hypothesis without it is still open. */
    closed_at: Timestamp.nullish(),
    /** When its probe, run after the fix, showed that it does not hold any more. Without it, it is not settled by evidence. */
    settled_at: Timestamp.nullish(),
    /** What the agent says it saw; no verdict rests on it. */
    claimed_evidence: z.unknown().optional(),
  })
  .meta({ id: "Hypothesis" });
export type Hypothesis = Known<z.infer<typeof Hypothesis>>;

/** What probes showed, oldest first: the only evidence that a verdict may rest on. */
export function probeEvidence({ evidence }: Hypothesis): ProbeEvidence[] {
  if (!Array.isArray(evidence)) return [];
  return evidence.flatMap((entry) => {
    const parsed = ProbeEvidence.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
}

export function isProbed(idea: Hypothesis): boolean {
  return probeEvidence(idea).some(({ data }) => data.not_run === undefined);
}

/** The last run of a probe that confirmed it before its fix; undefined for a hypothesis that no comparison confirmed. */
export function confirmingEvidence(idea: Hypothesis): ProbeEvidence | undefined {
  return probeEvidence(idea).findLast(
    ({ data }) => !data.after_fix && judgeEvidence(data).status === "confirmed",
  );
}

export function judgeEvidence(data: ProbeEvidence["data"]): {
  status: HypothesisStatus;
  reason: string;
} {
  const { not_run, shows, asks_nothing, instrumented, timed_out } = data;
  const open = (reason: string) => ({ status: "inconclusive" as const, reason });
  if (not_run !== undefined) return open(`Its probe could not be run: ${not_run}`);
  if (timed_out) return open("Its probe did not end in time.");
  if (asks_nothing) {
    return open("Its probe shows the same in an empty folder, so it does not test the project.");
  }
  switch (shows) {
    case "holds":
      return instrumented.length > 0
        ? open(
            "Its probe showed that it holds, but needs instrumentation that is gone after the fix. A probe that works without it has to confirm it.",
          )
        : { status: "confirmed", reason: "Its probe showed what was predicted if it holds." };
    case "does_not_hold":
      return {
        status: "rejected",
        reason: "Its probe showed what was predicted if it does not hold.",
      };
    case "both":
      return open("Its probe met both predictions.");
    default:
      return open("Its probe met neither prediction.");
  }
}

/** The hypothesis with one more piece of evidence; what was there before stays. */
export function withEvidence(idea: Hypothesis, evidence: ProbeEvidence): Hypothesis {
  return { ...idea, evidence: [...evidenceOf(idea), evidence] };
}

/** Everything on record, also what another tool wrote as one object. */
export function evidenceOf({ evidence }: Hypothesis): unknown[] {
  return evidence === null ? [] : [evidence].flat();
}

/** Hypotheses by id, newer ones in the place of older; new ones at the end. */
export function mergeHypotheses(
  before: readonly Hypothesis[],
  newer: readonly Hypothesis[],
): Hypothesis[] {
  const byId = new Map([...before, ...newer].map((idea) => [idea.id, idea]));
  return [...byId.values()];
}
