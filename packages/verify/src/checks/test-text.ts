/** A test file whose expected values are wrong, and the titles of the tests that cannot pass with it any more. */
export interface Falsified {
  text: string;
  titles: string[];
}

/** Where a test begins, in the languages whose tests have titles; the title is what a report calls it. */
const TITLE =
  /\b(?:test|it|specify)(?:\.\w+)*\(\s*(["'`])((?:\\.|(?!\1).)+)\1|\b(?:def|func|fn) (?:\([^)]*\) )?(test\w*|Test\w*|\w+)\s*\(/;

/** Assertions of equality, and of no more or less, whose last argument is a number: that number is the expected value, or as good as one. */
const EXPECTED: readonly RegExp[] = [
  // assert.equal(x, 5)   expect(x).toBe(5)   assertEqual(x, 5)   assert_eq!(x, 5)
  /((?:(?<!(?:Or|Less|Greater|Almost)_?)[eE]qual|[eE]quals|eql|toBe|same|\bis|assert_eq!|EQ)\(.*?)(-?\d+(?:\.\d+)?)(\s*(?:,\s*(?:"[^"]*"|'[^']*'|`[^`]*`))?\s*\)+\s*[;,]?\s*)$/,
  // assert x == 5   if got != 5 {
  /((?:\bassert\b.*==|\bif\b.*!=)\s*)(-?\d+(?:\.\d+)?)(\s*(?:,\s*(?:"[^"]*"|'[^']*'))?\s*[:{]?\s*)$/,
];
/** A wrong value makes these pass. */
const NEGATED = /\.not\b|\bnot[A-Z_]|[nN]ot_?[eE]qual|doesNot|assert_ne!/;

/**
 * The test file with expected numbers moved by one. What is changed are values, nothing is understood: whether such a test
 * must fail is known from a run on the start. `named` are tests that reports place in this file: where no test begins as
 * it does in known languages, the line that quotes the name is the one that compares (`is "total" 5 "$(total)"`).
 */
export function falsify(text: string, named: readonly string[] = []): Falsified {
  const titles = new Set<string>();
  const known = new Set(titlesIn(text));
  const quoted = named.filter((name) => !known.has(name));
  let title: string | null = null;
  const lines = text.split("\n").map((line) => {
    const found = TITLE.exec(line);
    if (found) title = found[2] ?? found[3] ?? null;
    const [name, wrong] = falsifiedBeside(line, quoted);
    if (name !== null) {
      titles.add(name);
      return wrong;
    }
    if (title === null || NEGATED.test(line)) return line;
    for (const pattern of EXPECTED) {
      const match = pattern.exec(line);
      if (!match) continue;
      const [, before = "", number = "", after = ""] = match;
      titles.add(title);
      return `${line.slice(0, match.index)}${before}${moved(number)}${after}`;
    }
    return line;
  });
  return { text: lines.join("\n"), titles: [...titles] };
}

/** The line with the number behind the quoted name of a test moved by one. */
function falsifiedBeside(line: string, names: readonly string[]): [string | null, string] {
  const name = names.find((one) => quotes(line, one));
  const at = name === undefined ? -1 : line.indexOf(name) + name.length;
  const match = at === -1 ? null : /(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])/.exec(line.slice(at));
  if (name === undefined || !match) return [null, line];
  const from = at + match.index;
  return [name, line.slice(0, from) + moved(match[0]) + line.slice(from + match[0].length)];
}

/** Whether a text holds a name as a string. */
export function quotes(text: string, name: string): boolean {
  return ['"', "'", "`"].some((quote) => text.includes(`${quote}${name}${quote}`));
}

/** Titles of the tests that begin in a file. */
export function titlesIn(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const found = TITLE.exec(line);
    return found?.[2] ?? found?.[3] ?? [];
  });
}

/** The number after this one, with as many places behind the point. */
function moved(number: string): string {
  const places = number.split(".")[1]?.length ?? 0;
  return (Number(number) + 1).toFixed(places);
}

/** Which runner a test file is for, by what it loads or, for those that have globals, how it asserts. */
const RUNNER_PATTERNS: readonly [RegExp, string][] = [
  [/["']node:test["']/, "node-test"],
  [/["']vitest["']/, "vitest"],
  [/["']ava["']/, "ava"],
  [/["']tape["']/, "tape"],
  [/["']tap["']/, "tap"],
  [/["']uvu["']/, "uvu"],
  [/["']bun:test["']/, "bun"],
  [/["']@jest\/globals["']|\bjest\.\w+\(|\bexpect\([^\n]*\)\.(not\.)?to[A-Z]/, "jest"],
  [/["'](chai|(node:)?assert(\/strict)?)["']/, "mocha"],
  [/^(async )?def test|^\s*(import|from) pytest\b/m, "pytest"],
  [/^\s*(import|from) unittest\b/m, "unittest"],
  [
    /^\s*class \w+ *< *((Minitest|Test::Unit|Active\w+|Action\w+)::)\w*TestCase\b|^\s*class \w+ *< *Minitest::Test\b/m,
    "minitest",
  ],
  [/^@test /m, "bats"],
];

/** The report by which the runner of a test file is known; a script may start several. */
export function runnerOfTestFile(report: string, text: string): string {
  if (report === "borp") return "node-test";
  if (report !== "script") return report;
  return RUNNER_PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? "script";
}
