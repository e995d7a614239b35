import type { RateLimits, TokenUsage } from "@ccw-loop/core";
import type { RateLimitUpdate, Totals } from "../protocol.ts";

/**
 * Codex tells how many tokens a conversation has used so far, never how many a turn used. The meter adds up
 * the differences. Taking a turn out of the history takes its tokens out of Codex's total, not out of ours.
 */
export interface Meter {
  /** Codex's latest total; null while a resumed conversation has not told it. */
  known: Totals | null;
  /** Codex's total when the turn began. */
  atTurnStart: Totals | null;
  spent: Totals;
  /** False until Codex told anything that belongs to a turn. */
  measured: boolean;
}

const NO_TOTALS: Totals = { totalTokens: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** A meter for a new conversation, or for one that was resumed. */
export function newMeter(resumed: boolean): Meter {
  const known = resumed ? null : NO_TOTALS;
  return { known, atTurnStart: known, spent: NO_TOTALS, measured: false };
}

/**
 * Codex told its totals. `inTurn` is false for what it repeats when a conversation is opened again: where
 * the meter begins, or the last tokens of a turn whose process died.
 */
export function meterRead(
  meter: Meter,
  { total, last }: { total: Totals; last: Totals },
  inTurn: boolean,
): Meter {
  const before = meter.known ?? (inTurn ? minus(total, last) : total);
  return {
    known: total,
    atTurnStart: inTurn ? (meter.atTurnStart ?? before) : total,
    spent: plus(meter.spent, minus(total, before)),
    measured: meter.measured || inTurn,
  };
}

export function meterTurnStarted(meter: Meter): Meter {
  return { ...meter, atTurnStart: meter.known };
}

/** The last turn was taken out of the history. */
export function meterReverted(meter: Meter): Meter {
  return { ...meter, known: meter.atTurnStart };
}

/** What was used between two states of one meter; null when Codex told nothing. */
export function usedBetween(before: Meter, after: Meter): TokenUsage | null {
  if (!after.measured) return null;
  const used = minus(after.spent, before.spent);
  return {
    input_tokens: used.inputTokens,
    cached_input_tokens: used.cachedInputTokens,
    output_tokens: used.outputTokens,
    total_tokens: used.totalTokens,
  };
}

const minus = (a: Totals, b: Totals) => combined(a, b, (x, y) => Math.max(0, x - y));
const plus = (a: Totals, b: Totals) => combined(a, b, (x, y) => x + y);

function combined(a: Totals, b: Totals, of: (x: number, y: number) => number): Totals {
  return {
    totalTokens: of(a.totalTokens, b.totalTokens),
    inputTokens: of(a.inputTokens, b.inputTokens),
    cachedInputTokens: of(a.cachedInputTokens, b.cachedInputTokens),
    outputTokens: of(a.outputTokens, b.outputTokens),
  };
}

/** The quotas that Codex told about so far, by their id. */
export type KnownLimits = ReadonlyMap<string, RateLimitUpdate>;

/** Updates are sparse: what one does not tell stays as it was. */
export function mergeLimits(known: KnownLimits, update: RateLimitUpdate): KnownLimits {
  const id = update.limitId ?? "codex";
  const before = known.get(id);
  const merged = {
    limitId: id,
    primary: update.primary ?? before?.primary ?? null,
    secondary: update.secondary ?? before?.secondary ?? null,
  };
  return new Map([...known, [id, merged]]);
}

/**
 * The quota that is used most; of several that are used up, the one that resets last, because all of them
 * must be free again.
 */
export function currentLimits(known: KnownLimits): RateLimits {
  const windows = [...known.values()].flatMap(({ primary, secondary }) =>
    [primary, secondary].filter((window) => window !== null && window !== undefined),
  );
  const [worst] = windows.toSorted(
    (a, b) =>
      Math.min(b.usedPercent, 100) - Math.min(a.usedPercent, 100) ||
      (b.resetsAt ?? 0) - (a.resetsAt ?? 0),
  );
  if (!worst) return { used_percent: null, resets_at: null };
  const { usedPercent, resetsAt } = worst;
  return {
    used_percent: usedPercent,
    resets_at: resetsAt ? new Date(resetsAt * 1000).toISOString() : null,
  };
}
