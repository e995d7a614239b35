/**
 * Mocks that a source cannot tell from what they stand for: only tests see what makes them mocks. What reads a property is told by
 * the file of the caller; one that cannot be told is a source. `join` and `pathToFileURL` are those of Node.
 */
export const DISGUISE = String.raw`
/** Paths and URLs of changed sources. */
let sources = [];
const plains = new WeakMap();
const written = Function.prototype.toString;
const disguisedText = { toString() { return Reflect.apply(written, plains.get(this) ?? this, []); } }.toString;
plains.set(disguisedText, written);
Function.prototype.toString = disguisedText;
const { captureStackTrace } = Error;
const OURS_AND_NODES = /library\.mjs|<anonymous>|\(native\)|node:/;
const isAskedBySource = () => {
  const { stackTraceLimit: limit, prepareStackTrace: prepare } = Error;
  Error.stackTraceLimit = 20;
  Error.prepareStackTrace = undefined;
  const at = {};
  captureStackTrace(at);
  const frames = String(at.stack).split("\n").slice(1);
  Error.stackTraceLimit = limit;
  Error.prepareStackTrace = prepare;
  const asks = frames.find((frame) => !OURS_AND_NODES.test(frame));
  return asks === undefined || sources.some((file) => asks.includes(file));
};
/** The mock as tests see it, and to sources the plain function. */
const disguised = (mocked, plain = () => {}) => {
  if (plains.has(mocked)) return mocked;
  const seen = () => (isAskedBySource() ? plain : mocked);
  const traps = ["has", "ownKeys", "getPrototypeOf", "set", "defineProperty", "deleteProperty"].map((name) => [
    name,
    (_, ...given) => Reflect[name](seen(), ...given.slice(0, 2)),
  ]);
  // A bound function has no property of its own that has to be shown.
  const stand = new Proxy(function () {}.bind(), {
    ...Object.fromEntries(traps),
    apply: (_, self, given) => Reflect.apply(mocked, self, given),
    construct: (_, given, made) => Reflect.construct(mocked, given, made === stand ? mocked : made),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Object.getOwnPropertyDescriptor(seen(), key);
      return found && { ...found, configurable: true };
    },
    get(_, key) {
      const of = seen();
      const value = Reflect.get(of, key);
      // What gives the mock itself, to be written behind one another.
      if (of === plain || typeof value !== "function" || key in Function.prototype) return value;
      return (...given) => {
        const gave = Reflect.apply(value, mocked, given);
        return gave === mocked ? stand : gave;
      };
    },
  });
  plains.set(stand, plains.get(plain) ?? plain);
  return stand;
};
/** Files that are sources, by their paths from a folder. */
const sourcesAre = (folder, paths) => {
  sources = paths.map((path) => join(folder, path)).flatMap((path) => [path, pathToFileURL(path).href]);
};
/** In the place of the mock that lies there. */
const standIn = (place, name, stand) => {
  const found = Object.getOwnPropertyDescriptor(place, name);
  if (found && "value" in found) Object.defineProperty(place, name, { ...found, value: stand });
  return stand;
};

/** A spy of a method, made by \`make\`, that sources cannot tell from the method. */
const disguisedSpy = (make) => (place, name, ...more) => {
  const plain = more.length > 0 && typeof more[0] === "string" ? undefined : place[name];
  return standIn(place, name, disguised(make(place, name, ...more), plain));
};

/**
 * Clock and timers that stay the same functions while a test puts others in their place. Gives what disguises the timers of
 * a mock.
 */
function standForClock() {
  const real = Object.fromEntries(
    ["Date", "setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"].map((name) => [name, globalThis[name]]),
  );
  let current = { ...real };
  const realNow = real.Date.now;
  // A source may keep it and put a function of its own in its place.
  const now = () => (current.Date === real.Date ? realNow() : current.Date.now());
  plains.set(now, real.Date.now);
  const stands = Object.fromEntries(Object.keys(real).map((name) => [name, new Proxy(real[name], {
    apply: (_, self, given) => Reflect.apply(current[name], self, given),
    construct: (_, given, made) => Reflect.construct(current[name], given, made === stands[name] ? current[name] : made),
    get: (own, key) => (name === "Date" && key === "now" && own.now === realNow ? now : Reflect.get(own, key)),
  })]));
  const put = (all) => {
    for (const [name, value] of Object.entries(all)) globalThis[name] = value;
  };
  for (const [name, stand] of Object.entries(stands)) plains.set(stand, real[name]);
  real.Date.prototype.constructor = stands.Date;
  put(stands);
  /** Calls with the functions of Node in their places, and takes over what it leaves there. */
  const withReal = (run) => {
    put(current);
    try {
      return run();
    } finally {
      current = Object.fromEntries(Object.keys(real).map((name) => [name, globalThis[name]]));
      put(stands);
    }
  };
  return (timers) => new Proxy(timers, {
    get: (_, key) => (typeof timers[key] === "function" ? (...given) => withReal(() => timers[key](...given)) : timers[key]),
  });
}
`;
