import { z } from "zod";

const REGEXP = /^\/(.+)\/([a-z]*)$/s;

/** True for plain text and for a `/regex/flags` that can be compiled. */
function isPattern(pattern: string): boolean {
  try {
    compile(pattern);
    return true;
  } catch {
    return false;
  }
}

/** The first of `patterns` that does not occur in `text`; undefined when all do. */
export function firstMissing(patterns: readonly string[], text: string): string | undefined {
  return patterns.find((pattern) => {
    const regexp = compile(pattern);
    return regexp ? !regexp.test(text) : !text.includes(pattern);
  });
}

function compile(pattern: string): RegExp | undefined {
  const [, source, flags] = REGEXP.exec(pattern) ?? [];
  return source === undefined ? undefined : new RegExp(source, flags);
}

const Name = z.string().min(1);
const Milliseconds = z.number().nonnegative();

/** Text that must occur, or `/regex/flags` that must match; a list means all of them. */
const Patterns = z
  .union([Name, z.array(Name).min(1)])
  .transform((value) => (typeof value === "string" ? [value] : value))
  .refine(
    (patterns) => patterns.every(isPattern),
    "not a regular expression; text that begins and ends with / is read as one",
  );

/** What an agent can fail with (core's Agent port); `crash` is the way to `agent_died`. */
const FailureCode = z.enum([
  "agent_failed",
  "agent_timeout",
  "agent_bad_result",
  "agent_unavailable",
  "agent_unauthorized",
  "agent_misconfigured",
  "sandbox_unavailable",
  "context_overflow",
  "rate_limited",
  "usage_limit",
]);

const Say = z.union([
  Name.transform((text) => ({ text, over_ms: 0 })),
  z.strictObject({ text: Name, over_ms: Milliseconds.default(0) }),
]);

const Background = z.union([
  Name.transform((command) => ({ command, setsid: false })),
  z.strictObject({ command: Name, setsid: z.boolean().default(false) }),
]);

const Fail = z.union([
  FailureCode.transform((code) => ({ code, message: undefined, resets_in: undefined })),
  z.strictObject({
    code: FailureCode,
    message: Name.optional(),
    /** Seconds from now until the limit is lifted: `details.resets_at`. */
    resets_in: z.number().optional(),
  }),
]);

const Tokens = z.int().nonnegative().default(0);

/** Tokens, and dollars where `cost` is given. */
const Used = z.strictObject({
  input: Tokens,
  cached: Tokens,
  output: Tokens,
  cost: z.number().nonnegative().optional(),
});
export type ScriptedUsage = z.infer<typeof Used>;

const STEPS = {
  /** Writes a whole file. */
  write: z.strictObject({ path: Name, content: z.string() }),
  /** Replaces the one `old`; when only `new` is there, it is done already. */
  replace: z.strictObject({ path: Name, old: Name, new: z.string() }),
  /** Adds `text` at the end, unless the file ends with it already. */
  append: z.strictObject({ path: Name, text: Name }),
  /** Deletes a file, if it is there. */
  delete: Name,
  /** Runs a shell command; whatever its exit code, the turn goes on. */
  run: Name,
  /** Leaves a shell command running behind; with `setsid` outside of every process group. */
  background: Background,
  /** Streams a message. */
  say: Say,
  wait: Milliseconds,
  /** Reports what the turn has used up to here. */
  use: Used,
  /** Waits until somebody steers the turn with such a text. */
  expect_steer: Patterns,
  /** Does nothing more until the turn is aborted. */
  hang: z.literal(true),
  /** Dies: `agent_died`. */
  crash: z.literal(true),
  /** Ends the turn with this error. */
  fail: Fail,
};

const STEP_NAMES = Object.keys(STEPS).join(", ");

/** One thing a turn does: an object with exactly one of these keys. */
const Step = z
  .strictObject(STEPS)
  .partial()
  .refine((step) => Object.keys(step).length === 1, `a step is exactly one of: ${STEP_NAMES}`);
export type Step = z.infer<typeof Step>;

/** An ACTION_RESULT; missing fields are filled, `action` from the turn. */
const ActionAnswer = z.strictObject({
  action: Name.optional(),
  status: z.enum(["success", "failed", "needs_input"]).default("success"),
  message: z.string().default(""),
  state_updates: z.record(z.string(), z.unknown()).default({}),
  files_updated: z.array(z.strictObject({ path: Name, description: z.string() })).default([]),
  next_action_needed: Name.default("NONE"),
});

/** One prompt and what the agent makes of it. */
const Turn = z
  .strictObject({
    action: Name.optional(),
    /** The turn is played only for a prompt in which all of this occurs. */
    when: Patterns.optional(),
    /** What must occur in the prompt; else the turn fails loudly. */
    expect: Patterns.optional(),
    steps: z.array(Step).default([]),
    /** The final message: text, sent verbatim, or an ACTION_RESULT, sent as JSON. */
    answer: z.union([z.string(), ActionAnswer]).optional(),
    /** Instead of an answer: a final message of this many random bytes, the same ones each time. */
    rubbish: z.int().positive().optional(),
    /** Of the whole turn, reported with its end. */
    usage: Used.optional(),
    /** Never used up: played for every prompt that gets here. */
    repeat: z.boolean().default(false),
    /** Used up as soon as it begins, so an interrupted one is not played again. */
    once: z.boolean().default(false),
  })
  .superRefine((turn, context) => {
    const complain = (message: string, ...path: string[]) =>
      context.addIssue({ code: "custom", message, path });
    const answers = Number(turn.answer !== undefined) + Number(turn.rubbish !== undefined);
    const last = turn.steps.at(-1);
    const ends = Boolean(last?.hang ?? last?.crash ?? last?.fail);
    if (answers + Number(ends) !== 1) {
      complain(
        "a turn ends with one of: answer, rubbish, a last step that hangs, crashes or fails",
      );
    }
    if (typeof turn.answer === "object" && turn.answer.action === undefined && !turn.action) {
      complain("name the action, here or in the turn", "answer", "action");
    }
  });
export type Turn = z.infer<typeof Turn>;

/** What a scripted agent does, turn by turn. */
export const AgentScript = z
  .strictObject({ turns: z.array(Turn).min(1) })
  .superRefine(({ turns }, context) => {
    const forever = turns.findIndex((turn) => turn.repeat && !turn.when);
    if (forever !== -1 && forever < turns.length - 1) {
      const message =
        "a turn that repeats without `when` must be the last: no later one is ever played";
      context.addIssue({ code: "custom", message, path: ["turns", forever, "repeat"] });
    }
  });
export type AgentScript = z.infer<typeof AgentScript>;
/** An {@link AgentScript} as it is written: what has a default may be left out. */
export type AgentScriptInput = z.input<typeof AgentScript>;

/** INIT with one task, also for whoever asks for more, and DEVELOP that does it. */
export const ONE_TASK: AgentScriptInput["turns"] = [
  {
    action: "INIT",
    when: "# ACTION: INIT",
    repeat: true,
    answer: { state_updates: { tasks: [{ description: "add the flag" }] } },
  },
  {
    action: "DEVELOP",
    when: "# ACTION: DEVELOP",
    repeat: true,
    steps: [{ write: { path: "flag.js", content: "1" } }],
    answer: { message: "done", state_updates: { summary: "wrote flag.js" } },
  },
];
