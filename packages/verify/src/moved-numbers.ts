import { type CheckOptions, holdsTests, testStates, type Verification } from "@ccw-loop/core";
import { filesUnder, isTestFile, textsOf } from "@ccw-loop/test-runner/project-files";
import { nameOf } from "./check-parts.ts";
import { numberLike } from "./test-text.ts";

/** More files and numbers say nothing new. */
const FILES = 20;
const NUMBERS = 8;

/** Zero is left: by it programs say that all is well, the tests among them. */
const NUMBER = /(?<![\w.$-])(?!0(?![\w.]))-?\d+(?:\.\d+)?(?![\w.])/g;

/** How the n-th number of a file is moved. */
type Way = (value: number, n: number) => number;

/**
 * What a changed source does with another input may be what the test expects of the first one, by chance or because that is
 * the change; not with each of these.
 */
const WAYS: readonly [Way, ...Way[]] = [
  (value, n) => value + 1 + (n % 3),
  (value, n) => value * 3 + 11 + (n % 3),
  (value, n) => -value - 1 - (n % 3),
];

/** Test files by path, with what they hold in a run. */
export type Texts = ReadonlyMap<string, string>;

/** What somebody decides: a test, or a command without a report. */
interface Expected {
  title: string;
  isCommand: boolean;
  /** Whether it was decided at all: with some numbers a program prints nothing that is a test. */
  isThere: (run: Verification) => boolean;
  isGreen: (run: Verification) => boolean;
}

/**
 * Test files in which no expected value is known, for want of their language. All of their numbers are moved; that somebody
 * has to notice is known from the start, where it turns red by that.
 */
export interface MovedNumbers {
  /** With all numbers moved in the first way. */
  texts: Texts;
  expected: readonly Expected[];
  /** Which of `expected` stay green with moved numbers, and did not at the start. `present` is a run with `texts`. */
  unnoticed: (present: Verification, run: Run) => Promise<string[]>;
}

/** Runs the start's tests with these texts in the place of their own; the output names no folder of the room. */
type Run = (sources: "start" | "present", texts: Texts) => Promise<Verification>;

/** `known` are files whose expected values are known; files that no report names are looked for where a command has no report. */
export async function movedNumbers(
  { green, unplaced, sources }: CheckOptions,
  cwd: string,
  known: ReadonlySet<string>,
): Promise<MovedNumbers> {
  const placed = new Set(green.flatMap(({ file }) => file ?? []));
  const paths = [...placed].filter((path) => !known.has(path) && !sources.includes(path));
  if (unplaced.length > 0) {
    for await (const path of filesUnder(cwd)) {
      if (isTestFile(path) && !placed.has(path)) paths.push(path);
    }
  }
  const read = [...textsOf(paths.slice(0, FILES), cwd)];
  const names = [...new Set(green.map(({ id }) => nameOf(id)))];
  const files = new Map(
    read.filter(([, text]) => !holdsTests(text) && numbersIn(text, names).length > 0),
  );
  const tests = green
    .filter(({ file }) => file !== undefined && files.has(file))
    .map(({ id, file }) => ({
      title: `${file} > ${nameOf(id)}`,
      isCommand: false,
      isThere: (run: Verification) => testStates(run.tests)[id] !== undefined,
      isGreen: (run: Verification) => testStates(run.tests)[id] === "passed",
    }));
  const hasLoose = [...files.keys()].some((path) => !placed.has(path));
  const commands = (hasLoose ? unplaced : []).map((command) => ({
    title: command,
    isCommand: true,
    isThere: () => true,
    isGreen: ({ commands: runs }: Verification) =>
      runs.some((one) => one.command === command && one.report === null && isPassed(one)),
  }));
  const inWay = (way: Way): Texts =>
    new Map([...files].map(([path, text]) => [path, moveNumbers(text, names, way)]));
  const expected = [...tests, ...commands];
  return {
    texts: inWay(WAYS[0]),
    expected,
    async unnoticed(present, run) {
      const green = expected.filter(({ isGreen }) => isGreen(present));
      if (green.length === 0) return [];
      const start = await run("start", new Map());
      let left = green.filter((one) => one.isCommand || one.isGreen(start));
      const asked = new Set<Expected>();
      for (const [n, way] of WAYS.entries()) {
        if (left.length === 0) return [];
        const then = await run("start", inWay(way));
        left = left.filter(({ isGreen }) => !isGreen(then));
        const told = left.filter(({ isThere }) => isThere(then));
        const now = n === 0 || told.length === 0 ? present : await run("present", inWay(way));
        // What comes to no end with these numbers is not asked by them.
        left = left.filter((one) => !told.includes(one) || one.isGreen(now));
        for (const one of told) asked.add(one);
      }
      left = left.filter((one) => asked.has(one));
      // What is red at the start by itself shows by what it says that it came to those numbers.
      const red = left.filter(({ isGreen }) => !isGreen(start));
      if (red.length > 0 && !(await saysOtherwise(files, { names, start, run })))
        left = left.filter((one) => !red.includes(one));
      return left.map(({ title }) => title);
    },
  };
}

const isPassed = ({ verdict }: Verification["commands"][number]): boolean => verdict === "passed";

/** Whether the one command that fails at the start says something else where one of the numbers is moved, beside that number. */
async function saysOtherwise(
  files: Texts,
  { names, start, run }: { names: readonly string[]; start: Verification; run: Run },
): Promise<boolean> {
  const failsAlone = ({ commands }: Verification) =>
    commands.filter((one) => !isPassed(one)).length === 1;
  const linesOf = (text: string) => new Set(text.split("\n"));
  const again = await run("start", new Map());
  if (!failsAlone(start) || !failsAlone(again)) return false;
  const both = linesOf(again.output_tail);
  const stable = [...linesOf(start.output_tail)].filter((line) => both.has(line));
  const places = [...files].flatMap(([path, text]) =>
    numbersIn(text, names).map((_, n) => ({ path, text, n })),
  );
  for (const { path, text, n } of places.slice(0, NUMBERS)) {
    const from = numbersIn(text, names)[n]?.[0] ?? "";
    const to = `${WAYS[0](Number(from), n)}`;
    const moved = moveNumbers(text, names, (value, at) => (at === n ? Number(to) : value));
    const made = await run("start", new Map([[path, moved]]));
    if (!failsAlone(made)) continue;
    const said = made.output_tail.replaceAll(NUMBER, (number) => (number === to ? from : number));
    const lines = linesOf(said);
    if (stable.some((line) => !lines.has(line))) return true;
  }
  return false;
}

/** The numbers of a text, without those in the names of its tests. */
function numbersIn(text: string, names: readonly string[]): RegExpExecArray[] {
  const named = names.flatMap((name) => placesOf(text, name));
  return [...text.matchAll(NUMBER)].filter(
    ({ index }) => !named.some(([from, to]) => index >= from && index < to),
  );
}

function moveNumbers(text: string, names: readonly string[], way: Way): string {
  const parts: string[] = [];
  let done = 0;
  for (const [n, { index, 0: number }] of numbersIn(text, names).entries()) {
    parts.push(text.slice(done, index), numberLike(number, way(Number(number), n)));
    done = index + number.length;
  }
  return parts.join("") + text.slice(done);
}

/** Where a name stands that has a number in it, from and to. */
function placesOf(text: string, name: string): [from: number, to: number][] {
  const found: [number, number][] = [];
  if (!/\d/.test(name)) return found;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    found.push([at, at + name.length]);
  return found;
}
