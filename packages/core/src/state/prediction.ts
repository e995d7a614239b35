import { z } from "zod";

export const Relation = z.enum(["<", "<=", "=", "!=", ">=", ">"]);
export type Relation = z.infer<typeof Relation>;

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
export type Condition = z.infer<typeof Condition>;

/** Conditions that are all met. Empty in states of older versions: nothing was predicted that can be compared. */
export const Prediction = z.array(Condition);
export type Prediction = z.infer<typeof Prediction>;

/** Which of its two predictions a probe met; `neither` also where it did not end in time. */
export const PredictionOutcome = z.enum(["holds", "does_not_hold", "neither", "both"]);
export type PredictionOutcome = z.infer<typeof PredictionOutcome>;

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
