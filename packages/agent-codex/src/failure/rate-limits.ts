import type { RateLimits } from "@ccw-loop/core";
import type { RateLimitUpdate } from "../protocol/notifications.ts";

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
