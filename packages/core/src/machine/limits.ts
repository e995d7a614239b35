import { ERROR_CODES, type ErrorCode } from "../errors.ts";
import { DEFAULT_LIMITS, type Limits, type LoopState, type Outcome } from "../state/loop-state.ts";
import { defined } from "./evolve-helpers.ts";

/** How many times one action may be cut off by a crash or an unknown error before it counts as failed. */
export const MAX_ATTEMPTS = 8;

/** The first bound that this loop has reached, as the outcome it would end with; undefined while none is. */
export function limitReached(state: LoopState): Outcome | undefined {
  const limits = limitsOf(state);
  const usage = state.usage;
  const reached: [boolean, string, string][] = [
    [
      state.current_iteration >= state.max_iterations,
      "max_iterations",
      `${state.current_iteration} of ${state.max_iterations} iterations are used.`,
    ],
    [
      (usage?.active_ms ?? 0) >= limits.max_duration_ms,
      "max_duration",
      `${workText(usage?.active_ms, limits.max_duration_ms)} of work are used.`,
    ],
    [
      (usage?.turns ?? 0) >= limits.max_turns,
      "max_turns",
      `${usage?.turns} of ${limits.max_turns} agent turns are used.`,
    ],
    [
      (usage?.total_tokens ?? 0) >= limits.max_tokens,
      "budget_exhausted",
      `${usage?.total_tokens} of ${limits.max_tokens} tokens are used.`,
    ],
    [
      (usage?.cost_usd ?? 0) >= (limits.max_cost_usd ?? Number.POSITIVE_INFINITY),
      "budget_exhausted",
      `${dollars(usage?.cost_usd)} of ${dollars(limits.max_cost_usd)} are used.`,
    ],
    [
      (usage?.consecutive_failures ?? 0) >= limits.max_consecutive_failures,
      "consecutive_failures",
      `${usage?.consecutive_failures} actions failed one after the other.`,
    ],
  ];
  const first = reached.find(([hit]) => hit);
  return first && { code: first[1], message: first[2] };
}

/** The bounds of a loop: its own over the defaults. */
export function limitsOf(state: LoopState): Limits & typeof DEFAULT_LIMITS {
  return { ...DEFAULT_LIMITS, ...defined(state.limits ?? {}) } as Limits & typeof DEFAULT_LIMITS;
}

/** A run of the tests may take so many times what the baseline took … */
const BASELINES = 5;
/** … and always so many milliseconds, for a machine that is busy. */
const SHORTEST_TEST_MS = 2 * 60 * 1000;

/**
 * How long one run of the tests may take where the project lies, in milliseconds: what the operator says, else as the
 * baseline has shown; `unknown` without one.
 */
export function testTimeoutOf({ limits, baseline }: LoopState, unknown: number): number {
  if (limits?.test_timeout_ms !== undefined) return limits.test_timeout_ms;
  const took = (baseline?.commands ?? []).reduce((ms, one) => ms + one.duration_ms, 0);
  return took === 0 ? unknown : Math.max(SHORTEST_TEST_MS, Math.round(BASELINES * took));
}

/** The same in a clean room, where nothing is built yet: no shorter than `unknown`, unless the operator says so. */
export function roomTimeoutOf(state: LoopState, unknown: number): number {
  const own = testTimeoutOf(state, unknown);
  return state.limits?.test_timeout_ms === undefined ? Math.max(own, unknown) : own;
}

/** `$0.42`; as exact as it takes to tell it from nothing. */
export function dollars(usd = 0): string {
  return `$${usd > 0 && usd < 0.1 ? usd.toPrecision(2) : usd.toFixed(2)}`;
}

/** `12.5 of 240 minutes`; a short bound in seconds. */
function workText(used = 0, bound: number): string {
  if (bound < 120_000) return `${Math.round(used / 1000)} of ${Math.round(bound / 1000)} seconds`;
  return `${minutes(used)} of ${minutes(bound)} minutes`;
}

function minutes(ms: number): number {
  return Math.round(ms / 6000) / 10;
}

/** Outcome codes that name a bound; their exit code is 3 (DESIGN §8). */
export const LIMIT_OUTCOMES: readonly string[] = [
  "max_iterations",
  "max_duration",
  "max_turns",
  "budget_exhausted",
  "consecutive_failures",
  "no_progress",
];

/** The process exit code that tells how this loop stands: 0 completed, 1 failed, 3 limit, 4 a person, 5 agent, 75 usage limit. */
export function exitCodeOf(state: LoopState): number {
  if (state.status === "completed") return 0;
  if (state.status === "running" && state.waiting?.kind === "usage_limit") return 75;
  if (state.status !== "failed") return 4;
  const code = state.outcome?.code ?? "";
  if (LIMIT_OUTCOMES.includes(code)) return 3;
  return code in ERROR_CODES ? ERROR_CODES[code as ErrorCode].exit : 1;
}
