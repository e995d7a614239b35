import {
  type Limits,
  type LoopEdit,
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
    min_coverage: flags.minCoverage,
    no_coverage_drop: flags.coverageDrop === undefined ? undefined : !flags.coverageDrop,
    flaky_reruns: flags.flakyReruns,
  };
}

/** What a new loop takes over from settings and flags; it keeps them, whatever changes later. */
export function newLoopFields(
  values: SettingValues,
  flags: LoopFlags,
): Required<Pick<NewLoop, "max_iterations" | "limits">> & { settings: Settings } {
  const { max_iterations, max_duration, ...others } = values;
  const { fallback, review, model, verify, min_coverage, ...settings } = others;
  return {
    max_iterations,
    limits: withoutUndefined({ max_duration_ms: parseDuration(max_duration), ...limitsIn(flags) }),
    settings: {
      ...settings,
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
  const limits = given("max_duration") ? all.limits : limitsIn(flags);
  const edit: LoopEdit = {
    ...(given("max_iterations") ? { max_iterations: all.max_iterations } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
  };
  return Object.keys(edit).length === 0 ? undefined : edit;
}

function limitsIn(flags: LoopFlags): Limits {
  const { maxTurns, maxTokens, maxCost, maxStalled, testTimeout, taskTimeout } = flags;
  return withoutUndefined({
    max_turns: maxTurns,
    max_tokens: maxTokens,
    max_cost_usd: maxCost,
    max_stalled: maxStalled,
    test_timeout_ms: testTimeout,
    task_timeout_ms: taskTimeout,
  });
}

function loopOnlySettings(flags: LoopFlags): Settings {
  const { setup, waiveTests, target, knownRed, allowTestChanges, expect } = flags;
  return withoutUndefined({
    setup,
    waive_tests: waiveTests,
    targets: target,
    known_red: knownRed,
    allow_test_changes: allowTestChanges,
    expect,
  });
}
