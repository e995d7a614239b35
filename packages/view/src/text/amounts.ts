const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

export const DURATION_FORMS = "90s, 45m, 2h or 1d";

/** `90s`, `45m`, `2h`, `1d` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const factor = UNITS[unit ?? ""];
  return count === undefined || factor === undefined ? undefined : Number(count) * factor;
}

/** A duration as `parseDuration` takes it, rounded up to whole seconds: `4h`, `90m`, `45s`. */
export function durationInput(ms: number): string {
  const seconds = Math.ceil(ms / 1000) * 1000;
  const unit = ["d", "h", "m"].find((one) => seconds % (UNITS[one] ?? 1) === 0) ?? "s";
  return `${seconds / (UNITS[unit] ?? 1)}${unit}`;
}

/** The two largest units for people: `850ms`, `4.2s`, `3m 20s`, `2h 5m`, `3d 4h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(minutes, "m", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return pair(hours, "h", minutes % 60, "m");
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`;
}

/** How long something has taken that began at `at` (RFC 3339): `3m 20s`. */
export function timeSince(at: string, now: Date | number): string {
  return formatDuration(Math.max(0, Number(now) - Date.parse(at)));
}

/** A whole number from 1 on; undefined for anything else. */
export function parseCount(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** An amount in US dollars above nothing, such as `2.50`; undefined for anything else. */
export function parseDollars(text: string): number | undefined {
  const amount = /^\d{1,7}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  return amount === 0 ? undefined : amount;
}

export const COUNT_FORM = "a whole number from 1 on";
export const DOLLARS_FORM = "an amount in US dollars, such as 2.50";

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** An amount of storage in decimal units: `812 B`, `1.2 kB`, `34 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[unit]}`;
}

/** A number of many digits for people: `812`, `48k`, `1.2M`. */
export function amountText(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${Math.round(count / 100_000) / 10}M`;
}
