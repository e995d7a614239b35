/** Where a test begins, in the languages whose tests have titles; the title is what a report calls it. */
const TITLE =
  /(?:\b(?:test|it|specify)(?:\.\w+)*(?:\(\s*|(?<=^\s*@?\w+)[ \t]+)|(?:\.each\(.*|^\s*\]?)\)\(\s*)(["'`])((?:\\.|(?!\1).)+)\1|\b(?:def|func|fn) (?:\([^)]*\) )?(?:(test\w*|Test\w*|\w+)\s*\(|(test\w*)\s*$)/;

/** Whether a text holds a name as a string. */
export function quotes(text: string, name: string): boolean {
  return ['"', "'", "`"].some((quote) => text.includes(`${quote}${name}${quote}`));
}

/** A number as text, with as many places behind the point as the one that it stands for. */
export function numberLike(sample: string, value: number): string {
  return value.toFixed(sample.split(".")[1]?.length ?? 0);
}

/** Titles of the tests that begin in a file. */
export function titlesIn(text: string): string[] {
  return text.split("\n").flatMap((line) => titleIn(line)?.title ?? []);
}

/** The test that begins in a line, and where behind its beginning its brackets may open. */
export function titleIn(line: string): { title: string; from: number; opening: number } | null {
  const found = TITLE.exec(line);
  const title = found?.[2] ?? found?.[3] ?? found?.[4];
  if (!found || title === undefined) return null;
  const quote = found[1] === undefined ? -1 : found[0].indexOf(found[1]);
  const opened = quote === -1 ? -1 : found[0].lastIndexOf("(", quote);
  const from = found.index;
  return { title, from, opening: opened === -1 ? from + found[0].length : from + opened };
}

/** What a runner puts values into, in the title of a test that is made of a table. */
const FILLED = /\\\$\\\{.*?\\\}|\\\$\w+|%[\w#%]/g;

/** Whether a report calls a test by this title: some put what is around it before it. */
export function isTitleOf(title: string, name: string): boolean {
  if (name === title || name.endsWith(` ${title}`)) return true;
  const pattern = title.replaceAll(/[^\w\s%#-]/g, "\\$&").replaceAll(FILLED, ".*");
  return pattern.includes(".*") && new RegExp(`(?:^| )${pattern}$`, "s").test(name);
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
