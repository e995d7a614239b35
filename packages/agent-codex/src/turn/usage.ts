import type { RateLimits, TokenUsage } from "@ccw-loop/core";
import type { RateLimitUpdate, Totals } from "../protocol.ts";

const NO_TOTALS: Totals = { totalTokens: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/**
 * Codex tells how many tokens a conversation has used so far, never how many a turn used. The meter adds up
 * the differences. Taking a turn out of the history takes its tokens out of Codex's total, not out of ours.
 */
export class Meter {
  /** Codex's latest total; null while a resumed conversation has not told it. */
  #known: Totals | null;
  /** Codex's total when the turn began. */
  #atTurnStart: Totals | null;
  spent: Totals;
  /** False until Codex told anything that belongs to a turn. */
  measured = false;

  /** For a new conversation, or for one that was resumed. */
  constructor(resumed: boolean, spent = NO_TOTALS) {
    this.#known = resumed ? null : NO_TOTALS;
    this.#atTurnStart = this.#known;
    this.spent = spent;
  }

  /**
   * Codex told its totals. `inTurn` is false for what it repeats when a conversation is opened again: where
   * the meter begins, or the last tokens of a turn whose process died.
   */
  read({ total, last }: { total: Totals; last: Totals }, inTurn: boolean): void {
    const before = this.#known ?? (inTurn ? minus(total, last) : total);
    this.#known = total;
    this.#atTurnStart = inTurn ? (this.#atTurnStart ?? before) : total;
    this.spent = plus(this.spent, minus(total, before));
    this.measured ||= inTurn;
  }

  turnStarted(): void {
    this.#atTurnStart = this.#known;
  }

  /** The last turn was taken out of the history. */
  turnReverted(): void {
    this.#known = this.#atTurnStart;
  }

  /** What was used since so much was spent; null when Codex told nothing. */
  usedSince(before: Totals): TokenUsage | null {
    if (!this.measured) return null;
    const used = minus(this.spent, before);
    return {
      input_tokens: used.inputTokens,
      cached_input_tokens: used.cachedInputTokens,
      output_tokens: used.outputTokens,
      total_tokens: used.totalTokens,
    };
  }
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
