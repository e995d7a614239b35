import { z } from "zod";
import { Relation } from "../state/hypothesis.ts";
import type { ActionName } from "../state/skill-state.ts";

const text = (description: string) => z.string().describe(description);
const maybe = (description: string) => z.string().nullable().describe(description);

const FailingTest = text("A failing test, as it was named to you.");
const description = text("What to do, and how one sees that it is done.");
const relation = Relation.describe("How the found value compares with `value`.");
const pattern = text("A JavaScript regular expression, searched in the output line by line.");

const Condition = z.union([
  z
    .strictObject({
      kind: z.enum(["exit_code"]).describe("The exit code."),
      compare: relation,
      value: z.int().describe("An exit code."),
    })
    .describe("A condition on the exit code."),
  z
    .strictObject({
      kind: z.enum(["text"]).describe("The whole output, without space around it."),
      how: z.enum(["is", "contains", "lacks"]).describe("What the output does with the text."),
      text: text("The text."),
    })
    .describe("A condition on text."),
  z
    .strictObject({
      kind: z.enum(["pattern"]).describe("A pattern in the output."),
      pattern,
      found: z.boolean().describe("Whether the output has it."),
    })
    .describe("A condition on a pattern."),
  z
    .strictObject({
      kind: z.enum(["number"]).describe("A number in the output."),
      pattern: text("A pattern whose first group is the number."),
      compare: relation,
      value: z.number().describe("A finite number."),
    })
    .describe("A condition on a number."),
]);

const Probe = z
  .strictObject({
    command: maybe("One shell command that decides; null for the project's own tests."),
    if_holds: z.array(Condition).describe("What it shows if the hypothesis holds; all of these."),
    if_not: z.array(Condition).describe("What it shows if not; no outcome may meet both."),
  })
  .describe("A probe that the orchestrator is to run; null when none is needed any more.");

const Hypothesis = z
  .strictObject({
    id: maybe("H1, H2, … for one that is known already; null for a new one."),
    description: text("The suspected cause."),
    testable_condition: text("What must be observed if it is the cause."),
    logging_point: text("Where to look, as file:function:line."),
    evidence_criteria: z
      .strictObject({
        confirm: text("What would confirm it."),
        reject: text("What would reject it."),
      })
      .describe("How the evidence decides."),
    likelihood: z.number().describe("1 is the most likely."),
    explains: z.array(FailingTest).describe("What it would explain."),
    probe: Probe.nullable(),
    claimed_evidence: maybe("What you saw yourself; kept as your word, no verdict rests on it."),
  })
  .describe("One hypothesis.");

const UPDATES: Readonly<Partial<Record<ActionName, z.ZodType>>> = {
  INIT: z
    .strictObject({
      tasks: z
        .array(z.strictObject({ description }).describe("One task."))
        .describe("The plan, in the order of work; at least one."),
      set_aside: z
        .array(FailingTest)
        .describe(
          "Tests that failed before and that this task gives no reason to repair; a person will be asked. Most often empty.",
        ),
    })
    .describe("The plan."),
  DEVELOP: z
    .strictObject({ summary: text("What was done, for the timeline.") })
    .describe("The work done."),
  DEBUG: z
    .strictObject({
      active_bug: maybe("The failure that is being looked at, in one sentence."),
      understanding: text("What is known now, with the corrections of earlier beliefs."),
      hypotheses: z
        .array(Hypothesis)
        .describe("New hypotheses, and known ones with a better probe."),
      confirmed_hypothesis: maybe("The id of the cause that a probe confirmed, or null."),
      fix_tasks: z
        .array(
          z
            .strictObject({
              description,
              fixes: maybe("The failed task or the hypothesis that it repairs."),
            })
            .describe("One task."),
        )
        .describe("Work that repairs the proven cause."),
    })
    .describe("What the analysis found."),
};

/**
 * The strict JSON Schema of an action's answer, for agents with structured output: `parseActionResult` reads
 * every answer that fits it. `in_progress` is for messages before the last one; as a last word it is no result.
 */
export function outputSchemaFor(action: ActionName): Record<string, unknown> {
  const updates = UPDATES[action];
  const Answer = z
    .strictObject({
      action: z.enum([action]).describe("The action this answers."),
      status: z
        .enum(["success", "failed", "needs_input", "in_progress"])
        .describe("in_progress only while you still work."),
      message: text("For the user: what happened, or what you need to know."),
      ...(updates ? { state_updates: updates.nullable() } : {}),
      files_updated: z
        .array(
          z
            .strictObject({
              path: text("Path in the project."),
              description: text("What changed."),
            })
            .describe("One file."),
        )
        .describe("The files you changed."),
      next_action: z
        .enum(["DEVELOP", "DEBUG", "VALIDATE", "COMPLETE", "WAITING_INPUT", "COMPLETED", "NONE"])
        .describe("Advice; the orchestrator decides."),
    })
    .describe("ACTION_RESULT");
  const { $schema: _, ...schema } = z.toJSONSchema(Answer, { override: withoutBounds });
  return schema;
}

/** The strict subset knows no bounds, and zod gives every integer some. */
function withoutBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.minimum;
  delete jsonSchema.maximum;
}
