import { z } from "zod";
import { DURATION_FORMS, parseDuration } from "../text/duration.ts";

/** Every setting: what it accepts, and what it is when nobody says anything. `null` means: found out by itself. */
export const SettingValues = z.object({
  /** By driver: `codex`, or `scripted:FILE` for the one that replays a file. */
  agent: z
    .string()
    .regex(/^(codex|scripted:.+)$/, "use codex or scripted:FILE")
    .default("codex"),
  model: z.string().min(1, "name a model").nullable().default(null),
  verify: z.string().min(1, "give a command").nullable().default(null),
  max_iterations: z.coerce
    .number("use a whole number")
    .int("use a whole number")
    .min(1, "use 1 or more")
    .default(10),
  max_duration: z
    .string()
    .refine((text) => parseDuration(text) !== undefined, `use a duration like ${DURATION_FORMS}`)
    .default("4h"),
  session: z.enum(["single", "fresh"], "use single or fresh").default("single"),
  mode: z.enum(["interactive", "auto"], "use interactive or auto").default("interactive"),
});
export type SettingValues = z.infer<typeof SettingValues>;

export const SettingKey = SettingValues.keyof();
export type SettingKey = z.infer<typeof SettingKey>;
export const SETTING_KEYS = SettingKey.options;
