import { DEFAULT_AGENT, DEFAULT_LIMITS, MAX_LIMITS } from "@ccw-loop/core";
import { z } from "zod";
import { DOLLARS_FORM, DURATION_FORMS, durationInput, parseDuration } from "../text/amounts.ts";

/** A path is the longest name there is. */
const LONGEST_AGENT = 4096;

/** Its form alone: which names there are, the registry of the process that drives the loop says. */
const AgentName = z
  .string()
  .min(1, "name an agent")
  .max(LONGEST_AGENT, `use ${LONGEST_AGENT} characters or less`)
  .refine((name) => !/\p{Cc}/u.test(name), "use no control characters");

const wholeNumber = (most: number) =>
  z.coerce
    .number("use a whole number")
    .max(most, `use ${most} or less`)
    .int("use a whole number")
    .min(1, "use 1 or more");

const duration = (mostMs: number) =>
  z
    .string()
    .refine((text) => parseDuration(text) !== undefined, `use a duration like ${DURATION_FORMS}`)
    .refine((text) => (parseDuration(text) ?? 0) <= mostMs, `use ${durationInput(mostMs)} or less`);

const FLAKY_FORM = "use a whole number from 0 to 10";
const AMOUNT_FORM = `use ${DOLLARS_FORM}`;

/**
 * Every setting: what it is for, what it accepts, and what it is when nobody says anything; `null` leaves it to be found
 * out, or unbounded.
 */
export const SettingValues = z.object({
  agent: AgentName.default(DEFAULT_AGENT).describe("The agent that writes the code."),
  fallback: AgentName.nullable()
    .default(null)
    .describe("Goes on while another agent is at its usage limit."),
  review: AgentName.nullable()
    .default(null)
    .describe("Looks at proven work before the loop ends; what it finds is a question to you."),
  model: z.string().min(1, "name a model").nullable().default(null).describe("Model of the agent."),
  verify: z
    .string()
    .min(1, "give a command")
    .nullable()
    .default(null)
    .describe("Test command that decides; found out when not given."),
  max_iterations: wholeNumber(MAX_LIMITS.max_iterations)
    .default(10)
    .describe("DEVELOP, DEBUG and VALIDATE actions at most."),
  max_duration: duration(MAX_LIMITS.max_duration_ms)
    .default(durationInput(DEFAULT_LIMITS.max_duration_ms))
    .describe("Time of work at most; pauses do not count."),
  max_turns: wholeNumber(MAX_LIMITS.max_turns)
    .default(DEFAULT_LIMITS.max_turns)
    .describe("Turns of the agent at most."),
  max_tokens: wholeNumber(MAX_LIMITS.max_tokens)
    .default(DEFAULT_LIMITS.max_tokens)
    .describe("Tokens at most."),
  max_cost: z.coerce
    .number(AMOUNT_FORM)
    .positive(AMOUNT_FORM)
    .max(MAX_LIMITS.max_cost_usd, `use ${MAX_LIMITS.max_cost_usd} or less`)
    .nullable()
    .default(null)
    .describe("US dollars at most, where the agent tells what it costs."),
  max_stalled: wholeNumber(MAX_LIMITS.max_stalled)
    .default(DEFAULT_LIMITS.max_stalled)
    .describe("Iterations without progress after which a person is asked."),
  max_failures: wholeNumber(MAX_LIMITS.max_consecutive_failures)
    .default(DEFAULT_LIMITS.max_consecutive_failures)
    .describe("Actions that fail one after the other before the loop ends."),
  turn_timeout: duration(MAX_LIMITS.turn_timeout_ms)
    .default(durationInput(DEFAULT_LIMITS.turn_timeout_ms))
    .describe("A turn of the agent is ended after this long."),
  test_timeout: duration(MAX_LIMITS.test_timeout_ms)
    .nullable()
    .default(null)
    .describe(
      "A run of the tests is ended after this long; five times the first one, at least 2m, when not given.",
    ),
  task_timeout: duration(MAX_LIMITS.task_timeout_ms)
    .default(durationInput(DEFAULT_LIMITS.task_timeout_ms))
    .describe("The command of a bash task is ended after this long."),
  session: z
    .enum(["single", "fresh"], "use single or fresh")
    .default("single")
    .describe("single: one conversation for the loop; fresh: one for each action."),
  mode: z
    .enum(["interactive", "auto"], "use interactive or auto")
    .default("interactive")
    .describe("interactive: a menu asks before every action; auto: the rules choose."),
  min_coverage: z.coerce
    .number("use a percentage")
    .min(0, "use a percentage from 0 to 100")
    .max(100, "use a percentage from 0 to 100")
    .nullable()
    .default(null)
    .describe("Percentage of the lines that the tests must cover."),
  no_coverage_drop: z
    .union([z.boolean(), z.stringbool()], "use true or false")
    .default(false)
    .describe("Changed lines must be covered at least as well as the project was."),
  flaky_reruns: z.coerce
    .number(FLAKY_FORM)
    .int(FLAKY_FORM)
    .min(0, FLAKY_FORM)
    .max(10, FLAKY_FORM)
    .default(2)
    .describe("A failing test is run again at most this often."),
});
export type SettingValues = z.infer<typeof SettingValues>;
