/** The words of vitest and jest beside those that every runner has: tests from tables, and words in any order behind each other. */
export const TABLES = String.raw`
import { format, types } from "node:util";

/** test.each\`a | b\` and test.each([[1, 2]]), as lists of arguments with what their title may name. */
function rowsOf([table, ...values]) {
  if (!table?.raw) return Array.from(table, (row) => ({ args: Array.isArray(row) ? row : [row], named: row }));
  const names = table[0].split("|").map((name) => name.trim());
  const rows = [];
  for (let n = 0; n < values.length; n += names.length) {
    const named = Object.fromEntries(names.map((name, k) => [name, values[n + k]]));
    rows.push({ args: [named], named });
  }
  return rows;
}

function titleOf(title, { args, named }, n) {
  const numbered = title.replaceAll("%%", "\u0000").replaceAll("%#", String(n)).replaceAll("%$", String(n + 1)).replaceAll("%p", "%j");
  const used = args.slice(0, numbered.match(/%[sdifjoOc]/g)?.length ?? 0);
  const shown = used.length > 0 ? format(numbered, ...used) : numbered;
  const value = (path) => path.split(".").reduce((one, key) => one?.[key], named);
  const filled = shown.replaceAll(/\$([\w.]+)/g, (all, path) => (Object(named) === named && value(path) !== undefined ? String(value(path)) : all));
  return filled.replaceAll("\u0000", "%");
}

const LEFT_OUT = { skip: "skip", todo: "todo", fails: "skip", failing: "skip", extend: "skip" };
/** \`test.concurrent.each\`, \`describe.skipIf(…)\`, …: each word gives the same again, with what it says. */
const words = (add, flags = {}) => new Proxy((...given) => add(given, flags), {
  get(_, key) {
    const again = (more) => words(add, { ...flags, ...more });
    if (key === "skipIf") return (is) => again(is ? { skip: true } : {});
    if (key === "runIf") return (is) => again(is ? {} : { skip: true });
    if (key === "extend") return () => again({ skip: true });
    if (key === "each" || key === "for") {
      return (...table) => (title, ...given) => rowsOf(table).forEach((row, n) => add([titleOf(nameOf(title), row, n), ...given], { ...flags, row: key === "each" ? row.args : [row.named], isFor: key === "for" }));
    }
    if (key in WORDS) return WORDS[key];
    return again(LEFT_OUT[key] ? { [LEFT_OUT[key]]: true } : {});
  },
});
const nameOf = (title) => (typeof title === "function" ? title.name : String(title));
/** As \`described\`, whose first argument is the title, whatever it is; one of a table has its row. */
const titled = ([title, ...given], { row, isFor, ...more }) => {
  const one = { ...described([nameOf(title), ...given], more), name: nameOf(title) };
  const { fn } = one;
  if (row && fn) one.fn = (...context) => (isFor ? fn(row[0], ...context) : dialect.row(fn, row));
  return one;
};
const test = words((given, flags) => void addTest(titled(given, flags)));
const describe = words((given, flags) => void addSuite(titled(given, flags)));
/** A matcher that needs files or a runner. */
const MATCHERS_MISSING = Object.fromEntries(
  ["toMatchSnapshot", "toMatchInlineSnapshot", "toMatchFileSnapshot", "toThrowErrorMatchingSnapshot", "toThrowErrorMatchingInlineSnapshot", "toMatchAriaSnapshot"].map((name) => [name, () => missing(name)]),
);
/** What is not offered of an object with words is missing when it is called. */
const only = (words, name) => new Proxy(words, { get: (own, key) => (key in own || typeof key === "symbol" ? own[key] : (...given) => missing(name + "." + key)) });
`;
