import { DEFAULT_AGENT, MAX_LIMITS } from "@ccw-loop/core";
import { z } from "zod";
import { DURATION_FORMS, durationInput, parseDuration } from "../text/amounts.ts";

/** A path is the longest name there is. */
const LONGEST_AGENT = 4096;

/** Its form alone: which names there are, the registry of the process that drives the loop says. */
const AgentName = z
  .string()
  .min(1, "name an agent")
  .max(LONGEST_AGENT, `use ${LONGEST_AGENT} characters or less`)
  .refine((name) => !/\p{Cc}/u.test(name), "use no control characters");

/** Every setting: what it accepts, and what it is when nobody says anything; `null` leaves it to be found out, or unbounded. */
export const SettingValues = z.object({
  agent: AgentName.default(DEFAULT_AGENT),
  fallback: AgentName.nullable().default(null),
  review: AgentName.nullable().default(null),
  model: z.string().min(1, "name a model").nullable().default(null),
  verify: z.string().min(1, "give a command").nullable().default(null),
  max_iterations: z.coerce
    .number("use a whole number")
    .max(MAX_LIMITS.max_iterations, `use ${MAX_LIMITS.max_iterations} or less`)
    .int("use a whole number")
    .min(1, "use 1 or more")
    .default(10),
  max_duration: z
    .string()
    .refine((text) => parseDuration(text) !== undefined, `use a duration like ${DURATION_FORMS}`)
    .refine(
      (text) => (parseDuration(text) ?? 0) <= MAX_LIMITS.max_duration_ms,
      `use ${durationInput(MAX_LIMITS.max_duration_ms)} or less`,
    )
    .default("4h"),
  session: z.enum(["single", "fresh"], "use single or fresh").default("single"),
  mode: z.enum(["interactive", "auto"], "use interactive or auto").default("interactive"),
  /** Percent of lines. */
  min_coverage: z.coerce
    .number("use a percentage")
    .min(0, "use a percentage from 0 to 100")
    .max(100, "use a percentage from 0 to 100")
    .nullable()
    .default(null),
  no_coverage_drop: z.union([z.boolean(), z.stringbool()], "use true or false").default(false),
  flaky_reruns: z.coerce
    .number("use a whole number from 0 to 10")
    .int("use a whole number from 0 to 10")
    .min(0, "use a whole number from 0 to 10")
    .max(10, "use a whole number from 0 to 10")
    .default(2),
});
export type SettingValues = z.infer<typeof SettingValues>;
