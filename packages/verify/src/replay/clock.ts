/** How much later it can be for a program whose clock is put forward, in milliseconds: another year, month and day. */
export const AHEAD_MS = 400 * 24 * 60 * 60 * 1000;

/** Some moment before that, on another day: what is different for some time only cannot know which. */
export function someTimeAhead(): number {
  const [least, unit] = [60 * 60 * 1000, 1000];
  return Math.floor((least + Math.random() * (AHEAD_MS - least)) / unit) * unit;
}

/**
 * `advance(ms)` puts every clock of the process forward, also for code that took hold of one before. Has to be loaded before
 * the code that is to be fooled.
 */
export const JAVASCRIPT_CLOCK = `"use strict";
let ahead = 0;
const Real = Date;
const now = Real.now;
const later = () => now() + ahead;
const Later = new Proxy(Real, {
  apply: () => new Real(later()).toString(),
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [later()] : given, made === Later ? target : made),
});
// A property as before: who puts another one in its place gets that.
Real.now = later;
Real.prototype.constructor = Later;
globalThis.Date = Later;
const elapsed = performance.now.bind(performance);
Object.defineProperty(performance, "now", { configurable: true, writable: true, value: () => elapsed() + ahead });
const { prototype } = Intl.DateTimeFormat;
const { get: format } = Object.getOwnPropertyDescriptor(prototype, "format");
Object.defineProperty(prototype, "format", { configurable: true, get() { return (when = later()) => format.call(this)(when); } });
const { formatToParts } = prototype;
prototype.formatToParts = function (when = later()) { return formatToParts.call(this, when); };
const { uptime, hrtime } = process;
process.uptime = () => uptime.call(process) + ahead / 1000;
process.hrtime = Object.assign((since) => {
  const [seconds, nanoseconds] = hrtime.call(process, since);
  return [seconds + (since ? 0 : ahead / 1000), nanoseconds];
}, { bigint: () => hrtime.bigint() + BigInt(ahead) * 1000000n });
exports.advance = (ms) => { ahead = ms; };
`;

/** The same for Python. */
export const PYTHON_CLOCK = `import datetime
import time

ahead = 0


def advance(ms):
    global ahead
    ahead = ms // 1000


def later(real, unit):
    return lambda: real() + ahead * unit


for name in ("time", "monotonic", "perf_counter"):
    setattr(time, name, later(getattr(time, name), 1))
    setattr(time, name + "_ns", later(getattr(time, name + "_ns"), 1000000000))
for name, unit in (("clock_gettime", 1), ("clock_gettime_ns", 1000000000)):
    setattr(time, name, lambda clock, real=getattr(time, name), unit=unit: real(clock) + ahead * unit)
for name in ("localtime", "gmtime"):
    setattr(time, name, lambda seconds=None, real=getattr(time, name): real(time.time() if seconds is None else seconds))
time.ctime = lambda seconds=None, real=time.ctime: real(time.time() if seconds is None else seconds)
time.strftime = lambda form, when=None, real=time.strftime: real(form, time.localtime() if when is None else when)


def replaced(real, methods):
    class Kind(type(real)):
        def __instancecheck__(cls, value):
            return isinstance(value, real)

        def __subclasscheck__(cls, other):
            return issubclass(other, real)

    def make(cls, *given, **named):
        return real(*given, **named) if cls is Later else real.__new__(cls, *given, **named)

    members = {"__new__": make, "__doc__": real.__doc__, "__module__": real.__module__}
    members.update({name: classmethod(method) for name, method in methods.items()})
    Later = Kind(real.__name__, (real,), members)
    return Later


gone = lambda: datetime.timedelta(seconds=ahead)
moment, day = datetime.datetime, datetime.date
datetime.datetime = replaced(moment, {
    "now": lambda cls, tz=None: moment.now(tz) + gone(),
    "utcnow": lambda cls: moment.now(datetime.timezone.utc).replace(tzinfo=None) + gone(),
    "today": lambda cls: moment.now() + gone(),
})
datetime.date = replaced(day, {"today": lambda cls: day.today() + gone()})
`;

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
