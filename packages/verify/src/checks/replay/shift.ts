/** A point in time in arguments: an ISO date, maybe with its time, milliseconds since 1970, or what Python writes. */
const MOMENT =
  /\b(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?|\b1[0-9]{12}\b|\bdatetime\.(?:date|datetime)\((\d+(?:, \d+){2,6})\)/g;

/**
 * The arguments of a call with every point in time as much later as the clock is, in their text: what asks how long it is until
 * then has the same answer.
 */
export function laterArguments(args: string, ms: number): string {
  return args.replaceAll(MOMENT, (text, day?: string, time = "", zone = "", numbers?: string) => {
    if (day !== undefined) return laterDay({ text, day, time, zone }, ms);
    if (numbers !== undefined) return text.replace(numbers, laterNumbers(numbers, ms));
    return String(Number(text) + ms);
  });
}

function laterDay(
  { text, day, time, zone }: Record<"text" | "day" | "time" | "zone", string>,
  ms: number,
): string {
  const clock = time.slice(1) || "00:00:00";
  const moment = Date.parse(`${day}T${clock}Z`) + ms;
  if (Number.isNaN(moment)) return text;
  const [date = "", rest = ""] = new Date(moment).toISOString().split("T");
  if (time === "") return `${date}${zone}`;
  const fraction = time.includes(".") ? rest.slice(0, -1) : rest.slice(0, 8);
  return `${date}${time[0]}${fraction}${zone}`;
}

/** Year, month and day, and as many parts of the time as there were. */
function laterNumbers(numbers: string, ms: number): string {
  const parts = numbers.split(", ").map(Number);
  const [year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, micro = 0] = parts;
  const moment = new Date(Date.UTC(year, month - 1, day, hour, minute, second) + ms);
  const later = [
    ...[moment.getUTCFullYear(), moment.getUTCMonth() + 1, moment.getUTCDate()],
    ...[moment.getUTCHours(), moment.getUTCMinutes(), moment.getUTCSeconds(), micro],
  ];
  return later.slice(0, parts.length).join(", ");
}
