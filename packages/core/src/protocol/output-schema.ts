import { z } from "zod";
import { Relation } from "../state/hypothesis.ts";
import type { ActionName } from "../state/skill-state.ts";

const text = (description: string) => z.string().describe(description);
const maybe = (description: string) => z.string().nullable().describe(description);
const list = <T extends z.ZodType>(description: string, item: T) =>
  z.array(item).describe(description);
const object = <T extends z.ZodRawShape>(description: string, shape: T) =>
  z.strictObject(shape).describe(description);

const FailingTest = text("A failing test, as it was named to you.");
const description = text("What to do, and how one sees that it is done.");
const command = maybe(
  "Only for a task that is nothing but this shell command, which the orchestrator runs; null for work of yours.",
);
const compare = Relation.describe("How the found value compares with `value`.");

const Condition = z.union([
  object("A condition on the exit code.", {
    kind: z.enum(["exit_code"]).describe("The exit code."),
    compare,
    value: z.int().describe("An exit code."),
  }),
  object("A condition on text.", {
    kind: z.enum(["text"]).describe("The whole output, without space around it."),
    how: z.enum(["is", "contains", "lacks"]).describe("What the output does with the text."),
    text: text("The text."),
  }),
  object("A condition on a pattern.", {
    kind: z.enum(["pattern"]).describe("A pattern in the output."),
    pattern: text("A JavaScript regular expression, searched in the output line by line."),
    found: z.boolean().describe("Whether the output has it."),
  }),
  object("A condition on a number.", {
    kind: z.enum(["number"]).describe("A number in the output."),
    pattern: text("A pattern whose first group is the number."),
    compare,
    value: z.number().describe("A finite number."),
  }),
]);

const Probe = object(
  "A probe that the orchestrator is to run; null when none is needed any more.",
  {
    command: maybe("One shell command that decides; null for the project's own tests."),
    if_holds: list("What it shows if the hypothesis holds; all of these.", Condition),
    if_not: list("What it shows if not; no outcome may meet both.", Condition),
  },
);

const Hypothesis = object("One hypothesis.", {
  id: maybe("H1, H2, … for one that is known already; null for a new one."),
  description: text("The suspected cause."),
  testable_condition: text("What must be observed if it is the cause."),
  logging_point: text("Where to look, as file:function:line."),
  evidence_criteria: object("How the evidence decides.", {
    confirm: text("What would confirm it."),
    reject: text("What would reject it."),
  }),
  likelihood: z.number().describe("1 is the most likely."),
  explains: list("What it would explain.", FailingTest),
  probe: Probe.nullable(),
  claimed_evidence: maybe("What you saw yourself; kept as your word, no verdict rests on it."),
});

const UPDATES: Readonly<Partial<Record<ActionName, z.ZodType>>> = {
  INIT: object("The plan.", {
    tasks: list(
      "The plan, in the order of work; at least one.",
      object("One task.", { description, command }),
    ),
    set_aside: list(
      "Tests that failed before and that this task gives no reason to repair; a person will be asked. Most often empty.",
      FailingTest,
    ),
  }),
  DEVELOP: object("The work done.", { summary: text("What was done, for the timeline.") }),
  DEBUG: object("What the analysis found.", {
    active_bug: maybe("The failure that is being looked at, in one sentence."),
    understanding: text("What is known now, with the corrections of earlier beliefs."),
    hypotheses: list("New hypotheses, and known ones with a better probe.", Hypothesis),
    confirmed_hypothesis: maybe("The id of the cause that a probe confirmed, or null."),
    fix_tasks: list(
      "Work that repairs the proven cause.",
      object("One task.", {
        description,
        command,
        fixes: maybe("The failed task or the hypothesis that it repairs."),
      }),
    ),
  }),
};

/**
 * The strict JSON Schema of an action's answer, for agents with structured output: `parseActionResult` reads
 * every answer that fits it. `in_progress` is for messages before the last one; as a last word it is no result.
 */
export function outputSchemaFor(action: ActionName): Record<string, unknown> {
  const text = texts.get(action) ?? JSON.stringify(schemaOf(action));
  texts.set(action, text);
  return JSON.parse(text);
}

/** Every turn asks for the same ones, and making one takes longer than the rest of the turn's own work. */
const texts = new Map<ActionName, string>();

function schemaOf(action: ActionName): object {
  const updates = UPDATES[action];
  const Answer = object("ACTION_RESULT", {
    action: z.enum([action]).describe("The action this answers."),
    status: z
      .enum(["success", "failed", "needs_input", "in_progress"])
      .describe("in_progress only while you still work."),
    message: text("For the user: what happened, or what you need to know."),
    ...(updates ? { state_updates: updates.nullable() } : {}),
    files_updated: list("The files you changed.", text("Path in the project.")),
  });
  const { $schema: _, ...schema } = z.toJSONSchema(Answer, { override: withoutBounds });
  return schema;
}

const Review = object("What a second look at the work found.", {
  action: z.enum(["REVIEW"]).describe("The action this answers."),
  findings: list(
    "What is wrong by the task; empty where nothing is.",
    object("One finding.", {
      file: text("Path in the project; empty where it is about no single file."),
      line: z.int().nullable().describe("The line in that file, or null."),
      problem: text("What is wrong, and how one sees it."),
    }),
  ),
  tests: list(
    "Tests of your own; most often one or none.",
    object("One new file.", {
      file: text("Its path in the project, where the project's runner finds it."),
      text: text("The whole file."),
    }),
  ),
});

/** The same for a review: `parseReview` reads every answer that fits it. */
export function reviewSchema(): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(Review, { override: withoutBounds });
  return schema;
}

/** The strict subset knows no bounds, and zod gives every integer some. */
function withoutBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.minimum;
  delete jsonSchema.maximum;
}
