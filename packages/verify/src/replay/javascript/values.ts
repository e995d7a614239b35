/** How values become text: arguments that can be made again, and results that can be compared. */
export const VALUES = String.raw`/** Longer arguments are not repeated; longer results are compared by their digest. */
const MOST = 1 << 18;
const SHOWN = 4096;
const DEEPEST = 8;
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const isPromise = (value) => tagOf(value) === "Promise";
const isGetter = (value, key) => Object.getOwnPropertyDescriptor(value, key)?.get !== undefined;
const isPlainObject = (value) => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** Arguments as JSON, with what JSON does not know in lists that begin with a mark; throws for what cannot be made again. */
const MARK = "\u0000";
const SPECIAL = {
  undefined: () => undefined,
  number: Number,
  bigint: BigInt,
  Date: (text) => new Date(text),
  RegExp: ([source, flags]) => new RegExp(source, flags),
  URL: (href) => new URL(href),
  Uint8Array: (list) => Uint8Array.from(list),
  Buffer: (text) => Buffer.from(text, "base64"),
};
function packed(value, depth = 0) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value === undefined) return [MARK, "undefined"];
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : [MARK, "number", Object.is(value, -0) ? "-0" : String(value)];
  if (typeof value === "bigint") return [MARK, "bigint", String(value)];
  if (objects.has(value)) return [MARK, "object", objects.get(value)];
  // Reading through a proxy or a getter may be what a test looks at.
  if (typeof value !== "object" || depth > DEEPEST || isProxy(value)) throw new TypeError("not plain");
  const tag = tagOf(value);
  if (tag === "Date") return [MARK, "Date", value.toISOString()];
  if (tag === "RegExp") return [MARK, "RegExp", [value.source, value.flags]];
  if (tag === "URL") return [MARK, "URL", value.href];
  if (Buffer.isBuffer(value)) return [MARK, "Buffer", value.toString("base64")];
  if (tag === "Uint8Array") return [MARK, "Uint8Array", [...value]];
  if (tag === "Map" || tag === "Set") return [MARK, tag, Array.from(value, (one) => packed(one, depth + 1))];
  if (Array.isArray(value)) return Array.from(value, (one) => packed(one, depth + 1));
  if (!isPlainObject(value) || Object.keys(value).some((key) => isGetter(value, key))) throw new TypeError("not plain");
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, packed(one, depth + 1)]));
}
function unpacked(value, made) {
  if (value === null || typeof value !== "object") return value;
  if (!Array.isArray(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unpacked(one, made)]));
  if (value[0] !== MARK) return value.map((one) => unpacked(one, made));
  const [, kind, of] = value;
  if (kind === "object") return made.get(of);
  if (kind === "Map") return new Map(unpacked(of, made));
  if (kind === "Set") return new Set(unpacked(of, made));
  return SPECIAL[kind](of);
}
const argumentsOf = (given) => {
  try {
    const text = stringify(packed(Array.from(given)));
    return text.length < MOST ? text : null;
  } catch {
    return null;
  }
};

/** Objects of the platform that are values, as text; all others hold what nobody can see. */
const PLATFORM = { URL: (url) => url.href, URLSearchParams: String, Headers: (headers) => stringify([...headers]) };

/** A result as text that is equal for equal values; throws where that cannot be told. */
function canonicalText(value, depth = 0, above = []) {
  if (typeof value === "string") return stringify(value);
  if (typeof value === "function") return "function";
  if (value === null || typeof value !== "object") return Object.is(value, -0) ? "-0" : String(value);
  if (above.includes(value) || depth > DEEPEST) return "...";
  const below = [...above, value];
  const of = (one) => canonicalText(one, depth + 1, below);
  const tag = tagOf(value);
  if (tag === "Date") return "Date " + value.getTime();
  if (tag === "RegExp") return String(value);
  if (tag === "Map") return "Map {" + [...value].map(([key, one]) => of(key) + " => " + of(one)).join(", ") + "}";
  if (tag === "Set") return "Set {" + [...value].map(of).join(", ") + "}";
  if (/ArrayBuffer$|^DataView$/.test(tag)) return tag + " " + of(new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength));
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return "[" + Array.from(value, of).join(", ") + "]";
  if (tag === "Error") return value.name + " " + of(partsOf(value));
  const Kind = globalThis[tag];
  if (Kind !== Object && typeof Kind === "function" && value instanceof Kind) {
    if (!(tag in PLATFORM)) throw new TypeError("not plain");
    return tag + " " + PLATFORM[tag](value);
  }
  const name = isPlainObject(value) ? "" : (value.constructor && value.constructor.name || "") + " ";
  return name + "{" + Object.keys(value).map((key) => stringify(key) + ": " + (isGetter(value, key) ? "a getter" : of(value[key]))).join(", ") + "}";
}
/** What an error says beside its name, whoever made it. */
const partsOf = (error) =>
  Object.fromEntries(Object.getOwnPropertyNames(error).filter((key) => key !== "stack" && key !== "name").map((key) => [key, error[key]]));
const shortened = (text) => {
  if (text.length < SHOWN) return text;
  const digest = createHash("sha256").update(text.replaceAll(process.cwd(), "")).digest("hex");
  return text.slice(0, SHOWN) + "... " + text.length + " " + digest;
};
const serialize = (value) => {
  try {
    // What it reads there, no test has read.
    return inside.run(true, () => shortened(canonicalText(value)));
  } catch {
    return null;
  }
};
const thrown = (error) => {
  const { message, ...parts } = typeof error === "object" && error !== null ? partsOf(error) : {};
  const more = Object.keys(parts).length === 0 ? null : serialize(parts);
  return "threw " + String(error && error.name) + ": " + shortened(String(error && error.message)) + (more ? " " + more : "");
};

/** What a call can change beside what it gives: the object that it is called on, and its arguments. */
const stateOf = (self, given) => serialize([typeof self === "object" ? self : null, ...given]);
const changedFrom = (before, self, given) => {
  const after = stateOf(self, given);
  return before === after || after === null ? "" : " and left " + after;
};

/** What came of a call, as text that is equal for equal outcomes; null where that cannot be told. */
const outcome = (value, changed) => {
  const text = serialize(value);
  return text === null ? null : text + changed;
};
`;
