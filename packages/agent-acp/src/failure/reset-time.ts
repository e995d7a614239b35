const TIMESTAMP = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)\b/;
const CLOCK = /\bat (\d{1,2}):(\d\d) ?([AP]M)?\b/i;
const SPAN =
  /\bin (?=\d)(?:(\d+) ?d(?:ays?)?\b,? ?)?(?:(\d+) ?h(?:(?:ou)?rs?)?\b,? ?)?(?:(\d+) ?m(?:in(?:ute)?s?)?\b)?/gi;

/**
 * When a limit ends, in words such as "try again at 12:20 PM", "in 3 hours 10 minutes", or a timestamp; as a
 * timestamp. A time of day is the next one on this machine's clock. Null where nothing of that kind is said.
 */
export function resetTimeIn(text: string, now: Date): string | null {
  const [timestamp] = TIMESTAMP.exec(text) ?? [];
  if (timestamp !== undefined) return toText(new Date(timestamp));
  const clock = CLOCK.exec(text);
  if (clock) return nextAt(Number(clock[1]), Number(clock[2]), clock[3], now);
  for (const [, ...numbers] of text.matchAll(SPAN)) {
    const [days = 0, hours = 0, minutes = 0] = numbers.map((one) => Number(one ?? 0));
    const ms = ((days * 24 + hours) * 60 + minutes) * 60_000;
    if (ms > 0) return toText(new Date(now.getTime() + ms));
  }
  return null;
}

function nextAt(hour: number, minute: number, half: string | undefined, now: Date): string | null {
  const hours = half === undefined ? hour : (hour % 12) + (/p/i.test(half) ? 12 : 0);
  if (hours > 23 || minute > 59) return null;
  const at = new Date(now);
  at.setHours(hours, minute, 0, 0);
  if (at <= now) at.setDate(at.getDate() + 1);
  return toText(at);
}

/** Null for a date that there is not. */
function toText(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
