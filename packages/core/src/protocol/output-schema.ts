import { Relation } from "../state/hypothesis.ts";
import type { ActionName } from "../state/skill-state.ts";

type Json = Record<string, unknown>;

const text = (description: string): Json => ({ type: "string", description });
const maybe = (description: string): Json => ({ type: ["string", "null"], description });
const list = (items: Json, description: string): Json => ({ type: "array", items, description });
const choice = (values: readonly string[], description: string): Json => ({
  type: "string",
  enum: values,
  description,
});

/** An object of the strict subset: every property is required, and no other is allowed. */
const object = (properties: Record<string, Json>, description: string): Json => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  description,
});

const optional = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }] });

const task = (more: Record<string, Json>): Json =>
  object(
    { description: text("What to do, and how one sees that it is done."), ...more },
    "One task.",
  );

const number: Json = { type: "number", description: "A finite number." };
const relation = choice(Relation.options, "How the found value compares with `value`.");
const pattern = text("A JavaScript regular expression, searched in the output line by line.");

const condition: Json = {
  anyOf: [
    object(
      {
        kind: choice(["exit_code"], "The exit code."),
        compare: relation,
        value: { type: "integer", description: "An exit code." },
      },
      "A condition on the exit code.",
    ),
    object(
      {
        kind: choice(["text"], "The whole output, without space around it."),
        how: choice(["is", "contains", "lacks"], "What the output does with the text."),
        text: text("The text."),
      },
      "A condition on text.",
    ),
    object(
      {
        kind: choice(["pattern"], "A pattern in the output."),
        pattern,
        found: { type: "boolean", description: "Whether the output has it." },
      },
      "A condition on a pattern.",
    ),
    object(
      {
        kind: choice(["number"], "A number in the output."),
        pattern: text("A pattern whose first group is the number."),
        compare: relation,
        value: number,
      },
      "A condition on a number.",
    ),
  ],
};

const probe = object(
  {
    command: maybe("One shell command that decides; null for the project's own tests."),
    if_holds: list(condition, "What it shows if the hypothesis holds; all of these."),
    if_not: list(condition, "What it shows if not; no outcome may meet both."),
  },
  "A probe that the orchestrator is to run; null when none is needed any more.",
);

const hypothesis = object(
  {
    id: maybe("H1, H2, … for one that is known already; null for a new one."),
    description: text("The suspected cause."),
    testable_condition: text("What must be observed if it is the cause."),
    logging_point: text("Where to look, as file:function:line."),
    evidence_criteria: object(
      { confirm: text("What would confirm it."), reject: text("What would reject it.") },
      "How the evidence decides.",
    ),
    likelihood: { type: "number", description: "1 is the most likely." },
    explains: list(text("A failing test, as it was named to you."), "What it would explain."),
    probe: optional(probe),
    claimed_evidence: maybe("What you saw yourself; kept as your word, no verdict rests on it."),
  },
  "One hypothesis.",
);

const UPDATES: Readonly<Partial<Record<ActionName, Json>>> = {
  INIT: object(
    {
      tasks: list(task({}), "The plan, in the order of work; at least one."),
      set_aside: list(
        text("A failing test, as it was named to you."),
        "Tests that failed before and that this task gives no reason to repair; a person will be asked. Most often empty.",
      ),
    },
    "The plan.",
  ),
  DEVELOP: object({ summary: text("What was done, for the timeline.") }, "The work done."),
  DEBUG: object(
    {
      active_bug: maybe("The failure that is being looked at, in one sentence."),
      understanding: text("What is known now, with the corrections of earlier beliefs."),
      hypotheses: list(hypothesis, "New hypotheses, and known ones with a better probe."),
      confirmed_hypothesis: maybe("The id of the cause that a probe confirmed, or null."),
      fix_tasks: list(
        task({ fixes: maybe("The failed task or the hypothesis that it repairs.") }),
        "Work that repairs the proven cause.",
      ),
    },
    "What the analysis found.",
  ),
};

/**
 * The strict JSON Schema of an action's answer, for agents with structured output: `parseActionResult` reads
 * every answer that fits it. `in_progress` is for messages before the last one; as a last word it is no result.
 */
export function outputSchemaFor(action: ActionName): Json {
  const updates = UPDATES[action];
  return object(
    {
      action: choice([action], "The action this answers."),
      status: choice(
        ["success", "failed", "needs_input", "in_progress"],
        "in_progress only while you still work.",
      ),
      message: text("For the user: what happened, or what you need to know."),
      ...(updates ? { state_updates: optional(updates) } : {}),
      files_updated: list(
        object(
          { path: text("Path in the project."), description: text("What changed.") },
          "One file.",
        ),
        "The files you changed.",
      ),
      next_action: choice(
        ["DEVELOP", "DEBUG", "VALIDATE", "COMPLETE", "WAITING_INPUT", "COMPLETED", "NONE"],
        "Advice; the orchestrator decides.",
      ),
    },
    "ACTION_RESULT",
  );
}
