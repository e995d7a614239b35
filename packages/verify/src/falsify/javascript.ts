import {
  argumentsOf,
  type Code,
  closeOf,
  type Edit,
  expectedOf,
  type Mover,
  operandsOf,
} from "./code.ts";

/** Two values that have to be equal, and one that is what is expected. */
const PAIRS =
  /(?<![\w$.])(?:[\w$]+\.)*(?:equals?|is|same|strictSame|(?:deep|strict|deepStrict)Equal|deepEquals?)\(/g;
const EXPECT = /(?<![\w$.])expect(?:\.soft)?\(/g;
const CHAIN = /(?:\s*\.\s*[\w$]+)+\s*\(/y;
const EXPECTING = /\b(?:toBe|toEqual|toStrictEqual|equals?|eqls?|eq|toMatchInlineSnapshot)\s*\($/;

/** Expected values in JavaScript and TypeScript. */
export const javascriptMover: Mover = {
  handles: /\.([cm]?[jt]s|[jt]sx)$/,
  ends: "bracket",
  quoted:
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g,

  edits(code, call) {
    const pairs = [...code.bare.matchAll(PAIRS)].flatMap(({ 0: { length }, index }): Edit[] => {
      const [one, other] = argumentsOf(code, index + length - 1);
      if (!one || !other || !beginsStatement(code, index)) return [];
      const text = `...${call(index)}${operandsOf(code, one, other, "true")})`;
      return isSpread(code, one.from) || isSpread(code, other.from)
        ? []
        : [{ from: one.from, to: other.to, text }];
    });
    const expected = [...code.bare.matchAll(EXPECT)].flatMap(({ 0: { length }, index }): Edit[] => {
      const closed = closeOf(code, index + length - 1);
      if (closed === null || !beginsStatement(code, index)) return [];
      CHAIN.lastIndex = closed + 1;
      const chain = CHAIN.exec(code.bare)?.[0] ?? "";
      if (!EXPECTING.test(chain) || /\.\s*not\b/.test(chain)) return [];
      const [one] = argumentsOf(code, closed + chain.length);
      if (!one || isSpread(code, one.from)) return [];
      return [{ ...one, text: `${call(index)}${expectedOf(code, one, "true")})[0]` }];
    });
    return [...pairs, ...expected];
  },

  helper: {
    at: ({ text }) => text.length,
    text: (name, stops, stop) => `
function ${name}(n, ...given) {
  if (${JSON.stringify(stops)}.includes(n)) ${stop === "end" ? "process.exit(97)" : `throw new Error(${JSON.stringify(stop.says)})`};
  const isPlain = (value) => value === null || typeof value !== "object" || [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value));
  const other = (value, depth = 0) => {
    if (typeof value === "number") return Number.isFinite(value) && Math.abs(value) < 1e15 ? value + Math.abs(value) + 1 : 7;
    if (typeof value === "bigint") return value * value + 1n;
    if (typeof value === "string") return value + "k";
    if (typeof value === "boolean") return !value;
    if (typeof value !== "object" || value === null || depth > 4 || typeof value.asymmetricMatch === "function") return Symbol("k");
    if (value instanceof Date) return new Date(value.getTime() + 4e10);
    if (Array.isArray(value)) return value.length === 0 ? ["k"] : value.map((one) => other(one, depth + 1));
    if (value instanceof Map) return new Map([...value, ["k", 1]]);
    if (value instanceof Set) return new Set([...value, "k"]);
    const entries = Object.entries(value).map(([key, one]) => [key, other(one, depth + 1)]);
    if (entries.length === 0) return isPlain(value) ? { k: 1 } : Symbol("k");
    return Object.assign(Object.create(Object.getPrototypeOf(value)), Object.fromEntries(entries));
  };
  const [one, two, isMoved] = given;
  if (isMoved) return [one, two];
  if (given.length === 1) return [other(one)];
  return isPlain(two) || !isPlain(one) ? [one, other(two)] : [other(one), two];
}
`,
  },
};

const isSpread = ({ text }: Code, at: number): boolean => text.startsWith("...", at);

/** Whether nothing is done with what an expression gives, but that it is returned or waited for. */
function beginsStatement({ bare }: Code, at: number): boolean {
  let before = at - 1;
  while (/\s/.test(bare[before] ?? "")) before -= 1;
  const line = bare.slice(Math.max(0, before - 8), before + 1);
  if (before < 0 || /[;{}]$|=>$|\b(?:return|await|void)$/.test(line)) return true;
  return bare.slice(before, at).includes("\n") && !/[([,.+\-*/=&|?:<>!%^~]$/.test(line);
}
