import {
  type Limits,
  type LoopEdit,
  LoopError,
  type NewLoop,
  type Settings,
  withoutUndefined,
} from "@ccw-loop/core";
import { parseDuration, type SettingValues } from "@ccw-loop/view";
import type { LoopFlags, SettingFlags } from "../program/options.ts";
import type { Context } from "../runtime/context.ts";
import { type EffectiveSettings, effectiveSettings, SettingKey } from "./settings.ts";

/** The settings that hold for a command, with its warnings told on stderr. */
export async function settingsFor(
  context: Context,
  flags: SettingFlags,
): Promise<EffectiveSettings> {
  const { io, cwd, root, parts } = context;
  const agents = await parts.agents();
  const agentProblem = (name: string) => agents?.problem(name);
  const place = { env: io.env, cwd, root, agentProblem };
  const effective = await effectiveSettings(rawValues(flags), place);
  for (const warning of effective.warnings) context.say(`ccw-loop: ${warning}`);
  return effective;
}

/** Flags as raw values by setting key. */
function rawValues(flags: SettingFlags): Record<string, unknown> {
  const mode = flags.auto ? "auto" : flags.interactive ? "interactive" : undefined;
  return {
    agent: flags.agent,
    fallback: flags.fallback,
    review: flags.review,
    model: flags.model,
    verify: flags.verify?.join(" && "),
    max_iterations: flags.maxIterations,
    max_duration: flags.maxDuration,
    session: flags.session,
    mode,
    max_turns: flags.maxTurns,
    max_tokens: flags.maxTokens,
    max_cost: flags.maxCost,
    max_stalled: flags.maxStalled,
    max_failures: flags.maxFailures,
    turn_timeout: flags.turnTimeout,
    test_timeout: flags.testTimeout,
    task_timeout: flags.taskTimeout,
    min_coverage: flags.minCoverage,
    no_coverage_drop: flags.coverageDrop === undefined ? undefined : !flags.coverageDrop,
    flaky_reruns: flags.flakyReruns,
  };
}

/** The limits of a loop as they are set: in core's own words and units. */
const LIMITS = {
  max_duration: (value) => ({ max_duration_ms: milliseconds(value) }),
  max_turns: (max_turns) => ({ max_turns }),
  max_tokens: (max_tokens) => ({ max_tokens }),
  max_cost: (value) => ({ max_cost_usd: value ?? undefined }),
  max_stalled: (max_stalled) => ({ max_stalled }),
  max_failures: (max_consecutive_failures) => ({ max_consecutive_failures }),
  turn_timeout: (value) => ({ turn_timeout_ms: milliseconds(value) }),
  test_timeout: (value) => ({ test_timeout_ms: milliseconds(value) }),
  task_timeout: (value) => ({ task_timeout_ms: milliseconds(value) }),
} as const satisfies { [K in SettingKey]?: (value: SettingValues[K]) => Limits };
type LimitKey = keyof typeof LIMITS;

const milliseconds = (text: string | null) => (text === null ? undefined : parseDuration(text));

function limitsOf(values: SettingValues, isWanted: (key: LimitKey) => boolean): Limits {
  const keys = Object.keys(LIMITS) as LimitKey[];
  const one = <K extends LimitKey>(key: K) =>
    (LIMITS[key] as (value: SettingValues[K]) => Limits)(values[key]);
  return withoutUndefined(Object.assign({}, ...keys.filter(isWanted).map(one)));
}

/** What a new loop takes over from settings and flags; it keeps them, whatever changes later. */
export function newLoopFields(
  values: SettingValues,
  flags: LoopFlags,
): Required<Pick<NewLoop, "max_iterations" | "limits">> & { settings: Settings } {
  const { agent, session, mode, no_coverage_drop, flaky_reruns } = values;
  const { fallback, review, model, verify, min_coverage } = values;
  return {
    max_iterations: values.max_iterations,
    limits: limitsOf(values, () => true),
    settings: {
      ...{ agent, session, mode, no_coverage_drop, flaky_reruns },
      ...withoutUndefined({
        fallback: fallback ?? undefined,
        review: review ?? undefined,
        model: model ?? undefined,
        verify: verify ?? undefined,
        min_coverage: min_coverage ?? undefined,
      }),
      ...loopOnlySettings(flags),
    },
  };
}

/** A loop for a task, with what the command line says of it. */
export function newLoopOf(
  task: string,
  values: SettingValues,
  flags: LoopFlags & { loopId?: string; worktree?: true },
): NewLoop {
  const { loopId: id, worktree } = flags;
  return {
    description: task,
    ...newLoopFields(values, flags),
    ...withoutUndefined({ id, worktree }),
  };
}

/**
 * What the flags alone change about a loop that exists; undefined when they change nothing. A file that the agent
 * of this very loop can write never does. Lists are replaced, not added to.
 */
export function editOf(effective: EffectiveSettings, flags: LoopFlags): LoopEdit | undefined {
  const given = (key: SettingKey) => effective.origins.get(key) === "flag";
  const all = newLoopFields(effective.values, flags);
  const named = Object.entries(all.settings).filter(([key]) =>
    SettingKey.options.some((k) => k === key && given(k)),
  );
  const settings: Settings = { ...Object.fromEntries(named), ...loopOnlySettings(flags) };
  const limits = limitsOf(effective.values, given);
  const edit: LoopEdit = {
    ...(given("max_iterations") ? { max_iterations: all.max_iterations } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
  };
  return Object.keys(edit).length === 0 ? undefined : edit;
}

function loopOnlySettings(flags: LoopFlags): Settings {
  const { setup, repository: url, ref, needs, waiveTests, target, knownRed } = flags;
  const { allowTestChanges, expect } = flags;
  if (url === undefined && ref !== undefined) {
    throw new LoopError(
      "invalid_input",
      "--ref is a place in a repository: name it with --repository.",
    );
  }
  return withoutUndefined({
    // Of a loop with a repository it belongs to every clone.
    ...(url === undefined
      ? { setup }
      : { repository: { url, ...withoutUndefined({ ref, setup }) } }),
    needs,
    waive_tests: waiveTests,
    targets: target,
    known_red: knownRed,
    allow_test_changes: allowTestChanges,
    expect,
  });
}
