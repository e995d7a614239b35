import { ERROR_CODES, type ErrorCode } from "../errors.ts";
import { withoutUndefined } from "../json.ts";
import { DEFAULT_LIMITS, type Limits, type LoopState, type Outcome } from "../state/loop-state.ts";
import { durationText } from "../text.ts";

/** How many times one action may be cut off by a crash or an unknown error before it counts as failed. */
export const MAX_ATTEMPTS = 8;

export const BOUND_NAMES = [
  "iterations",
  "time",
  "turns",
  "tokens",
  "cost",
  "no progress",
  "failures",
] as const;

/** One bound of a loop with what is used of it, both in the bound's own unit. */
export interface Bound {
  name: (typeof BOUND_NAMES)[number];
  used: number;
  bound: number;
}

/** Every bound that a loop has: time in milliseconds of work, cost in US dollars. */
export function boundsOf(state: LoopState): [Bound, ...Bound[]] {
  const { usage } = state;
  const limits = limitsOf(state);
  const cost = limits.max_cost_usd;
  return [
    { name: "iterations", used: state.current_iteration, bound: state.max_iterations },
    { name: "time", used: usage?.active_ms ?? 0, bound: limits.max_duration_ms },
    { name: "turns", used: usage?.turns ?? 0, bound: limits.max_turns },
    { name: "tokens", used: usage?.total_tokens ?? 0, bound: limits.max_tokens },
    ...(cost === undefined
      ? []
      : [{ name: "cost" as const, used: usage?.cost_usd ?? 0, bound: cost }]),
    { name: "no progress", used: state.stall?.stalled ?? 0, bound: limits.max_stalled },
    {
      name: "failures",
      used: usage?.consecutive_failures ?? 0,
      bound: limits.max_consecutive_failures,
    },
  ];
}

/** How a loop ends that has used up a bound; one without progress waits for a person instead. */
const ENDS: Record<
  Exclude<Bound["name"], "no progress">,
  [code: string, (bound: Bound) => string]
> = {
  iterations: ["max_iterations", ({ used, bound }) => `${used} of ${bound} iterations are used.`],
  time: [
    "max_duration",
    ({ used, bound }) => `${durationText(used)} of ${durationText(bound)} of work are used.`,
  ],
  turns: ["max_turns", ({ used, bound }) => `${used} of ${bound} agent turns are used.`],
  tokens: ["budget_exhausted", ({ used, bound }) => `${used} of ${bound} tokens are used.`],
  cost: [
    "budget_exhausted",
    ({ used, bound }) => `${dollars(used)} of ${dollars(bound)} are used.`,
  ],
  failures: ["consecutive_failures", ({ used }) => `${used} actions failed one after the other.`],
};

/** The first bound that this loop has reached, as the outcome it would end with; undefined while none is. */
export function limitReached(state: LoopState): Outcome | undefined {
  for (const one of boundsOf(state)) {
    if (one.name === "no progress" || one.used < one.bound) continue;
    const [code, text] = ENDS[one.name];
    return { code, message: text(one) };
  }
  return undefined;
}

/** The bounds of a loop: its own over the defaults. */
export function limitsOf({ limits = {} }: LoopState) {
  return { ...DEFAULT_LIMITS, ...withoutUndefined(limits) } as Limits & typeof DEFAULT_LIMITS;
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

/** Outcome codes that name a bound; their exit code is 3. */
export const LIMIT_OUTCOMES: readonly string[] = [
  ...Object.values(ENDS).map(([code]) => code),
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
