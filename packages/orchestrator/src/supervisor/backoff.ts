const FIRST_MS = 1000;
export const LONGEST_MS = 5 * 60 * 1000;

/** Milliseconds until the next try after `failures` in a row (1 and up); `random` (0 to 1) spreads it over half of it. */
export function backoffMs(failures: number, random: number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  return Math.round(whole * (0.5 + random / 2));
}

/** `ms`, by a quarter more or less, so that many who wait for the same do not come at once. */
export function spread(ms: number, random: number): number {
  return Math.round(ms * (0.75 + random / 2));
}
