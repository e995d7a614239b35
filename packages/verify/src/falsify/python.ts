import {
  argumentsOf,
  type Code,
  closeOf,
  type Edit,
  type Mover,
  operandsOf,
  partsOf,
  type Range,
  textIn,
} from "./code.ts";

const ASSERT = /^[ \t]*assert[ (]/gm;
const METHOD =
  /^[ \t]*\w+\.assert(?:Equals?|(?:List|Dict|Tuple|Set|Sequence|Count|MultiLine)Equal|Is)\(/gm;
/** Operators that make more of an expression than one comparison. */
const OTHER = /\b(?:or|not|if|else|in|is|lambda|for)\b|!=|[<>]=?|(?<!=)=(?!=)/;

/** Expected values in Python, under pytest and unittest. */
export const pythonMover: Mover = {
  handles: /\.py$/,
  ends: "indent",
  quoted: /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g,

  edits(code, call) {
    const compared = [...code.bare.matchAll(ASSERT)].flatMap(({ 0: { length }, index }): Edit[] => {
      const from = index + length - 1;
      const [first] = partsOf(code, { from, to: endOfStatement(code, from) }, /,/);
      const [one, two, more] = first ? operandsIn(code, first) : [];
      if (!one || !two || more) return [];
      const text = `(lambda p: p[0] == p[1])(${call(index)}${operandsOf(code, one, two, "True")}))`;
      return [{ from: one.from, to: two.to, text }];
    });
    const asserted = [...code.bare.matchAll(METHOD)].flatMap(({ 0: { length }, index }): Edit[] => {
      const [one, two] = argumentsOf(code, index + length - 1);
      const isNamed = [one, two].some((part) => part && /^\*|^\w+\s*=/.test(textIn(code, part)));
      if (!one || !two || isNamed) return [];
      const text = `*${call(index)}${operandsOf(code, one, two, "True")})`;
      return [{ from: one.from, to: two.to, text }];
    });
    return [...compared, ...asserted];
  },

  helper: {
    at: ({ bare }) => Math.max(0, bare.search(/^(?:def|class|async|@|if|with|for|try)\b|^@/m)),
    text: (name, stops, stop) => `def ${name}(n, one, two, is_moved=False):
    import copy, datetime, decimal, fractions, os, pathlib, sys
    if n in ${JSON.stringify(stops)}:
        ${stop === "end" ? "os._exit(97)" : `raise AssertionError(${JSON.stringify(stop.says)})`}
    if is_moved:
        return one, two
    numbers = (int, float, complex, decimal.Decimal, fractions.Fraction)

    def is_plain(value):
        return value is None or type(value) in (bool, str, bytes, list, tuple, dict, set, frozenset, *numbers)

    def is_foreign(kind):
        module = sys.modules.get(kind.__module__)
        file = getattr(module, "__file__", None) or ""
        return not file or "site-packages" in file or file.startswith(os.path.dirname(os.__file__))

    def other(value, depth=0):
        kind = type(value)
        try:
            if kind is bool:
                return not value
            if kind in numbers:
                return value + abs(value) + 1
            if kind in (str, bytes):
                return value + ("k" if kind is str else b"k")
            if isinstance(value, (datetime.date, datetime.timedelta)):
                return value + datetime.timedelta(400)
            if isinstance(value, pathlib.PurePath):
                return value / "k"
            if kind in (list, tuple):
                return kind([other(one, depth + 1) for one in value] or ["k"])
            if kind in (set, frozenset):
                return kind([*value, "k"])
            if kind is dict:
                return {key: other(one, depth + 1) for key, one in value.items()} or {"k": 1}
            if depth > 4 or is_foreign(kind):
                return object()
            for base in (int, float, str, bytes, list, tuple, dict):
                if isinstance(value, base):
                    moved = other(base(base.__iter__(value)) if base in (list, tuple) else dict(dict.items(value)) if base is dict else base.__getnewargs__(value)[0])
                    made = base.__new__(kind, moved)
                    if base in (list, dict):
                        base.__init__(made, moved)
                    break
            else:
                made = object.__new__(kind)
            state = dict(getattr(value, "__dict__", {}))
            for one in kind.__mro__:
                slots = vars(one).get("__slots__", ())
                for slot in (slots,) if isinstance(slots, str) else slots:
                    if hasattr(value, slot) and not slot.startswith("__"):
                        state[slot] = getattr(value, slot)
            for key, held in state.items():
                object.__setattr__(made, key, other(held, depth + 1))
            return made
        except Exception:
            return object()

    return (one, other(two)) if is_plain(two) or not is_plain(one) else (other(one), two)


`,
  },
};

/** The two operands of an equality, which may stand in brackets, or be the first of several that have to hold. */
function operandsIn(code: Code, range: Range): Range[] {
  const isInBrackets = code.bare[range.from] === "(" && closeOf(code, range.from) === range.to - 1;
  if (isInBrackets) {
    const [inner, more] = argumentsOf(code, range.from);
    return inner && !more ? operandsIn(code, inner) : [];
  }
  const [first] = partsOf(code, range, /\band\b/);
  if (!first) return [];
  const operands = partsOf(code, first, /==/);
  const isMore = operands.some((one) => partsOf(code, one, OTHER).length > 1);
  const isNegated = /^not\b/.test(textIn(code, first));
  return isMore || isNegated ? [] : operands;
}

/** Where a line ends that is continued by no bracket and no sign. */
function endOfStatement(code: Code, from: number): number {
  for (let at = from; at < code.bare.length; at += 1) {
    if ("([{".includes(code.bare[at] as string)) at = closeOf(code, at) ?? code.bare.length;
    if (code.bare[at] === "\n" && code.bare[at - 1] !== "\\") return at;
  }
  return code.bare.length;
}
