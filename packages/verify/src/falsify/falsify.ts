import { randomBytes } from "node:crypto";
import { codeOf, type Edit, type Mover, type Stop } from "./code.ts";
import { goMover, rustMover, shellMover } from "./in-text.ts";
import { javascriptMover } from "./javascript.ts";
import { type FalsifyingEdit, movedLiterals } from "./literals.ts";
import { pythonMover } from "./python.ts";
import { rubyMover } from "./ruby.ts";
import { testsIn, titleAt } from "./scopes.ts";

/** A test file whose expected values are wrong. */
export interface Falsified {
  /** Of the tests that cannot pass with it any more; the title is what a report calls them. */
  titles: string[];
  /** The text. Where tests of the titles `stopped` come to an assertion, `stop` happens. */
  text(stopped?: readonly string[], stop?: Stop): string;
  /** Titles for which that can be said. */
  ends: ReadonlySet<string>;
}

const MOVERS: readonly Mover[] = [
  javascriptMover,
  pythonMover,
  rubyMover,
  rustMover,
  goMover,
  shellMover,
];
/**
 * The test file with wrong expected values. What is changed are values, nothing is understood: whether such a test must
 * fail is known from a run on the start. What stands in a function within a test is that test's: only `isTest` knows which
 * of them are called tests in the reports.
 */
export function falsify(
  path: string,
  text: string,
  isTest: (title: string) => boolean = () => true,
): Falsified {
  const mover = MOVERS.find(({ handles }) => handles.test(path));
  const code = codeOf(text, mover?.quoted ?? /$^/g, mover?.ends);
  const lines = lineStarts(text);
  const tests = testsIn(code).filter(({ title }) => isTest(title));
  // What the function is called that moves values while tests run: no source can ask for it.
  const moved = `k${randomBytes(6).toString("hex")}`;
  const isHelped = mover?.helper !== undefined;
  const operands = (mover?.edits(code, (at) => `${moved}(${at}, `) ?? [])
    .map((edit) => ({ ...edit, title: titleAt(tests, edit.from) }))
    .filter((edit): edit is FalsifyingEdit => edit.title !== null);
  const covered = new Set(operands.flatMap((one) => linesOf(lines, one)));
  const literals = movedLiterals(code, tests).filter(
    ({ from }) => !covered.has(lineAt(lines, from)),
  );
  const all = [...operands, ...literals].toSorted((a, b) => a.from - b.from);
  const byLiteral = new Set((isHelped ? literals : all).map(({ title }) => title));
  const ends = new Set(operands.map(({ title }) => title).filter((one) => !byLiteral.has(one)));
  const numbersOf = (stopped: readonly string[]) =>
    operands
      .filter(({ title }) => stopped.includes(title))
      .flatMap(({ text }) =>
        [...text.matchAll(new RegExp(`${moved}\\((\\d+), `, "g"))].map(([, n]) => Number(n)),
      );
  return {
    titles: [...new Set(all.map(({ title }) => title))],
    ends,
    text(stopped = [], stop = "end") {
      const helper = isHelped && operands.length > 0 ? mover.helper : undefined;
      const at = helper?.at(code) ?? 0;
      const added = helper
        ? [{ from: at, to: at, text: helper.text(moved, numbersOf(stopped), stop) }]
        : [];
      const unchecked = /\.[cm]?tsx?$/.test(path) && helper ? "// @ts-nocheck\n" : "";
      return `${unchecked}${edited(text, [...all, ...added])}`;
    },
  };
}

/** From behind; one within another is left out. */
function edited(text: string, edits: readonly Edit[]): string {
  let [out, before] = [text, text.length + 1];
  for (const edit of edits.toSorted((a, b) => b.from - a.from || b.to - a.to)) {
    if (edit.to > before) continue;
    out = out.slice(0, edit.from) + edit.text + out.slice(edit.to);
    before = edit.from;
  }
  return out;
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** The number of the line at a place, by halves. */
function lineAt(starts: readonly number[], at: number): number {
  let [line, beyond] = [0, starts.length];
  while (beyond - line > 1) {
    const middle = (line + beyond) >> 1;
    if ((starts[middle] as number) <= at) line = middle;
    else beyond = middle;
  }
  return line;
}

function linesOf(starts: readonly number[], { from, to }: Edit): number[] {
  const [first, last] = [lineAt(starts, from), lineAt(starts, to)];
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}
