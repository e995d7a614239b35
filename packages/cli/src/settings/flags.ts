import type { LoopEdit, Settings } from "@ccw-loop/core";
import type { NewLoop } from "@ccw-loop/orchestrator";
import type { Context } from "../context.ts";
import type { SettingFlags } from "../program/options.ts";
import { parseDuration } from "../text/duration.ts";
import { type EffectiveSettings, effectiveSettings } from "./effective.ts";
import type { SettingValues } from "./keys.ts";

/** The settings that hold for a command, with its warnings told on stderr. */
export async function settingsFor(
  context: Context,
  flags: SettingFlags,
): Promise<EffectiveSettings> {
  const { io, cwd, root } = context;
  const effective = await effectiveSettings(rawValues(flags), { env: io.env, cwd, root });
  for (const warning of effective.warnings) context.say(`ccw-loop: ${warning}`);
  return effective;
}

/** Flags as raw values by setting key. */
function rawValues(flags: SettingFlags): Record<string, unknown> {
  const mode = flags.auto ? "auto" : flags.interactive ? "interactive" : undefined;
  return {
    agent: flags.agent,
    model: flags.model,
    verify: flags.verify,
    max_iterations: flags.maxIterations,
    max_duration: flags.maxDuration,
    session: flags.session,
    mode,
  };
}

/** What a new loop takes over from the settings; it keeps them, whatever changes later. */
export function newLoopFields(
  values: SettingValues,
): Required<Pick<NewLoop, "max_iterations" | "limits">> & { settings: Settings } {
  const { agent, model, verify, session, mode } = values;
  return {
    max_iterations: values.max_iterations,
    limits: { max_duration_ms: milliseconds(values.max_duration) },
    settings: {
      agent,
      session,
      mode,
      ...(model === null ? {} : { model }),
      ...(verify === null ? {} : { verify }),
    },
  };
}

/** What the flags alone change about a loop that exists; undefined when they change nothing. */
export function editOf({ values, origins }: EffectiveSettings): LoopEdit | undefined {
  const given = <K extends keyof SettingValues>(key: K) =>
    origins.get(key) === "flag" ? values[key] : undefined;
  const { max_iterations, limits, settings } = newLoopFields(values);
  const settingKeys = ["agent", "model", "verify", "session", "mode"] as const;
  const changed = settingKeys.filter((key) => given(key) !== undefined);
  const edit: LoopEdit = {
    ...(given("max_iterations") === undefined ? {} : { max_iterations }),
    ...(given("max_duration") === undefined ? {} : { limits }),
    ...(changed.length === 0
      ? {}
      : { settings: Object.fromEntries(changed.map((key) => [key, settings[key]])) }),
  };
  return Object.keys(edit).length === 0 ? undefined : edit;
}

function milliseconds(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new TypeError(`unchecked duration ${text}`);
  return ms;
}
