import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  type CheckResult,
  firstOf,
  objectionOf,
  testStates,
  type VerifyPlan,
} from "@ccw-loop/core";
import type { RunSettings } from "../process/run-command.ts";
import { overwrite } from "../process/sandbox.ts";
import { textsOf } from "../project-files.ts";
import { verifyIn } from "../verify.ts";
import { assertsBy, type Canary, makeCanary } from "./canary-file.ts";
import { beginCheck, nameOf } from "./check-options.ts";
import { type MovedNumbers, movedNumbers } from "./moved-numbers.ts";
import { testFilesOf } from "./replay/record.ts";
import { type Falsified, falsify, runnerOfTestFile } from "./test-text.ts";
import { stampsOf, touchedSince } from "./touched.ts";

/** More test files say nothing new. */
const FILES_FALSIFIED = 20;
const NAMED = 3;

/** Test files of the room as they are to be: with wrong expectations, and one that is false altogether. */
interface FailingTests {
  canaries: Canary[];
  falsified: Map<string, Falsified>;
  moved: MovedNumbers;
}

/**
 * One run in which tests must fail: the canary, and the project's own tests with wrong expectations. One that does not
 * fail is no objection where it does not fail at the start either. The same run shows whether files of the tests are
 * changed while these run, and put back: what tests read has to be what lies there.
 */
export async function canaryRun(
  plan: VerifyPlan,
  { options, settings, room }: { options: CheckOptions; settings: RunSettings; room: Checkout },
): Promise<CheckResult> {
  const ended = beginCheck("canary");
  const failing = await prepareFailingTests(plan, options, room.cwd);
  const expected = expectedRed(failing, options);
  const run = async (place: Checkout, withFailing = true) => {
    if (withFailing) await writeFailingTests(failing, place.cwd);
    const before = await stampsOf(place.top);
    const outcome = await verifyIn(place, plan, options, settings);
    const touched = touchedSince(before, await stampsOf(place.top));
    return {
      ...outcome,
      touched: touched.map((path) => relative(place.cwd, join(place.top, path))),
    };
  };
  const present = await run(room);
  const touched = await options.judging(present.touched);
  if (touched.length > 0) {
    const atStart = (await run(await options.room("start"), false)).touched;
    const newly = touched.filter((path) => !atStart.includes(path));
    const message = "Files of the tests are changed by the present sources while the tests run";
    const objections = [objectionOf("canary", newly, message)];
    if (newly.length > 0)
      return ended("failed", `${message}: ${firstOf(newly, NAMED)}.`, 0, objections);
  }
  const { moved } = failing;
  const unnoticed = await moved.unnoticed(present, async (sources, texts) => {
    const place = await options.room(sources);
    for (const [file, text] of texts) await overwrite(join(place.cwd, file), text);
    const made = await verifyIn(place, plan, options, settings);
    return { ...made, output_tail: made.output_tail.replaceAll(place.top, "") };
  });
  if (unnoticed.length > 0) {
    const message =
      "Whatever numbers tests hold, they pass with the present sources, and failed with those of the start";
    return ended("failed", `${message}: ${firstOf(unnoticed, NAMED)}.`, moved.expected.length, [
      objectionOf("canary", unnoticed, message),
    ]);
  }
  const noticed = moved.expected.filter(({ isGreen }) => !isGreen(present)).length;
  if (expected.length === 0 && noticed > 0) {
    return ended("held", `${noticed} tests with other numbers had to fail and did.`, noticed);
  }
  if (expected.length === 0) {
    const reason =
      "No test could be made that has to fail: the runner's dialect is not known, or no expected value is.";
    return ended("not_run", reason);
  }
  const notRed = expected.filter((one) => !one.isRed(testStates(present.tests)));
  if (notRed.length === 0 && !present.passed) {
    return ended("held", `${expected.length} tests had to fail and did.`, expected.length);
  }
  const start = await run(await options.room("start"));
  const [now, then] = [present, start].map(({ tests }) => testStates(tests)) as [States, States];
  // A start that is red may stop before it came to a test that is false by itself.
  const suspicious = notRed.filter(
    (one) => one.isRed(then) || (one.isFalse && one.isGreen(now) && !one.isGreen(then)),
  );
  if (suspicious.length === 0 && notRed.length === expected.length) {
    // By no name, yet the run as a whole fails of them at the start: not of something else that is red there.
    const failsOfThem =
      present.passed && !start.passed && (await run(await options.room("start"), false)).passed;
    if (!failsOfThem) {
      const reason = `None of ${expected.length} tests that had to fail did, neither now nor at the start: the run stops before them, or leaves them out.`;
      return ended("not_run", reason);
    }
  } else if (suspicious.length === 0 && !present.passed) {
    const reason = `${expected.length - notRed.length} tests had to fail and did; ${notRed.length} fail neither now nor at the start.`;
    return ended("held", reason, expected.length);
  }
  const names = suspicious.map(({ title }) => title);
  const message =
    "Tests that have to fail pass with the present sources, so the sources change how tests are judged";
  return ended("failed", `${names.length} tests had to fail and passed.`, expected.length, [
    objectionOf("canary", names.length > 0 ? names : ["the exit code"], message),
  ]);
}

type States = Readonly<Record<string, string>>;

interface Expected {
  title: string;
  /** One false assertion of ours and nothing else: it can pass by no circumstance of the project. */
  isFalse: boolean;
  /** At least one of its tests is reported as failed; one that vanished has not been. */
  isRed: (states: States) => boolean;
  isGreen: (states: States) => boolean;
}

function expectedRed({ canaries, falsified }: FailingTests, { green }: CheckOptions): Expected[] {
  const own = canaries.flatMap(({ titles }) =>
    titles.map((title, n) => ({
      title: n === 0 ? "a false test of ours" : "a test of ours with every kind of false assertion",
      isFalse: n === 0,
      ...reportedAs((id) => id.includes(title)),
    })),
  );
  const theirs = [...falsified].flatMap(([file, { titles }]) =>
    titles
      .map((title) => ({
        title,
        ids: green
          .filter((one) => one.file === file && nameOf(one.id) === title)
          .map(({ id }) => id),
      }))
      .filter(({ ids }) => ids.length > 0)
      .map(({ title, ids }) => ({
        title: `${file} > ${title}`,
        isFalse: false,
        ...reportedAs((id) => ids.includes(id)),
      })),
  );
  return [...own, ...theirs];
}

function reportedAs(isMeant: (id: string) => boolean): Pick<Expected, "isRed" | "isGreen"> {
  const has = (word: string) => (states: States) =>
    Object.entries(states).some(([id, status]) => status === word && isMeant(id));
  return { isRed: has("failed"), isGreen: has("passed") };
}

async function prepareFailingTests(
  plan: VerifyPlan,
  options: CheckOptions,
  cwd: string,
): Promise<FailingTests> {
  const files = testFilesOf(options).slice(0, FILES_FALSIFIED);
  const falsified = new Map<string, Falsified>();
  const canaries = new Map<string, Canary>();
  for (const [file, text] of textsOf(files, cwd)) {
    for (const { report } of plan.parts) {
      const dialect = runnerOfTestFile(report, text);
      const canary = canaries.has(assertsBy(text)) ? null : makeCanary(dialect, file, text);
      if (canary) canaries.set(assertsBy(text), canary);
    }
    const named = options.green.filter((one) => one.file === file).map(({ id }) => nameOf(id));
    const wrong = falsify(text, named);
    if (wrong.titles.length > 0) falsified.set(file, wrong);
  }
  const moved = await movedNumbers(options, cwd, new Set(falsified.keys()));
  return { canaries: [...canaries.values()], falsified, moved };
}

async function writeFailingTests(
  { canaries, falsified, moved }: FailingTests,
  cwd: string,
): Promise<void> {
  for (const canary of canaries) await writeFile(join(cwd, canary.path), canary.text);
  for (const [file, { text }] of falsified) await overwrite(join(cwd, file), text);
  for (const [file, text] of moved.texts) await overwrite(join(cwd, file), text);
}
