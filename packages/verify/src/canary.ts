import { randomBytes } from "node:crypto";
import { join, relative } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  type CheckResult,
  firstOf,
  objectionOf,
  type TestResult,
  testStates,
  type VerifyPlan,
} from "@ccw-loop/core";
import { type RunSettings, runPlanIn } from "@ccw-loop/test-runner";
import { overwrite } from "@ccw-loop/test-runner/clean-room";
import { beginCheck } from "./check-parts.ts";
import { movedNumbers } from "./moved-numbers.ts";
import {
  type Expected,
  expectedRed,
  makeFailingTests,
  type States,
  type Stopped,
  writeFailingTests,
} from "./must-fail-tests.ts";
import { stampsOf, touchedSince } from "./touched.ts";

const NAMED = 3;

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
  const failing = makeFailingTests(plan, options, room.cwd);
  const known = new Set([...failing.falsified.values()].map(({ of }) => of));
  const moved = await movedNumbers(options, room.cwd, known);
  const expected = expectedRed(failing, options);
  const run = async (
    place: Checkout,
    { withFailing = true, stopped }: { withFailing?: boolean; stopped?: Stopped } = {},
  ) => {
    if (withFailing) {
      await writeFailingTests(failing, { options, cwd: place.cwd, stopped });
      for (const [file, text] of moved.texts) await overwrite(join(place.cwd, file), text);
    }
    const before = await stampsOf(place.top);
    const outcome = await runPlanIn(place, plan, options, settings);
    const touched = touchedSince(before, await stampsOf(place.top));
    return {
      ...outcome,
      touched: touched.map((path) => relative(place.cwd, join(place.top, path))),
    };
  };
  const present = await run(room);
  const touched = await options.judging(present.touched);
  if (touched.length > 0) {
    const atStart = (await run(await options.room("start"), { withFailing: false })).touched;
    const newly = touched.filter((path) => !atStart.includes(path));
    const message = "Files of the tests are changed by the present sources while the tests run";
    const objections = [objectionOf("canary", newly, message)];
    if (newly.length > 0)
      return ended("failed", `${message}: ${firstOf(newly, NAMED)}.`, 0, objections);
  }
  const unnoticed = await moved.unnoticed(present, async (sources, texts) => {
    const place = await options.room(sources);
    for (const [file, text] of texts) await overwrite(join(place.cwd, file), text);
    const made = await runPlanIn(place, plan, options, settings);
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
  // What is made of other numbers alone, where nothing else says anything.
  const byNumbers = (reason: string) =>
    noticed === 0
      ? ended("not_run", reason)
      : ended("held", `${noticed} tests with other numbers had to fail and did.`, noticed);
  if (expected.length === 0) {
    return byNumbers(
      "No test could be made that has to fail: the runner's dialect is not known, or no expected value is.",
    );
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
    // No test is named, but the start's run fails with them, and passes without them.
    const failsOfThem =
      present.passed &&
      !start.passed &&
      (await run(await options.room("start"), { withFailing: false })).passed;
    if (!failsOfThem) {
      return byNumbers(
        `None of ${expected.length} tests that had to fail did, neither now nor at the start: the run stops before them, or leaves them out.`,
      );
    }
  } else if (suspicious.length === 0 && !present.passed) {
    const reason = `${expected.length - notRed.length} tests had to fail and did; ${notRed.length} fail neither now nor at the start.`;
    return ended("held", reason, expected.length);
  }
  const runStopped = async (sources: "start" | "present", stopped: Stopped) =>
    (await run(await options.room(sources), { stopped })).tests;
  const unmade = await withoutAssertion(suspicious, runStopped);
  const left = await withAssertionAtStart(unmade, runStopped);
  if (left.length > 0) {
    const titles = left.map(({ title }) => title);
    const message =
      "Tests that came to an assertion with the sources of the start come to none with the present ones, and pass";
    return ended("failed", `${message}: ${firstOf(titles, NAMED)}.`, expected.length, [
      objectionOf("canary", titles, message),
    ]);
  }
  if (suspicious.length > 0 && unmade.length === suspicious.length) {
    const red = expected.length - notRed.length;
    const reason = `${red} tests had to fail and did; ${unmade.length} come to no assertion.`;
    return ended(present.passed ? "not_run" : "held", reason, red);
  }
  const names = suspicious.filter((one) => !unmade.includes(one)).map(({ title }) => title);
  const message =
    "Tests that have to fail pass with the present sources, so the sources change how tests are judged";
  return ended("failed", `${names.length} tests had to fail and passed.`, expected.length, [
    objectionOf("canary", names.length > 0 ? names : ["the exit code"], message),
  ]);
}

type RunStopped = (sources: "start" | "present", stopped: Stopped) => Promise<TestResult[]>;

/** Those that pass as well where each assertion that was made wrong ends the process: they do not come to it. */
async function withoutAssertion(
  suspicious: readonly Expected[],
  run: RunStopped,
): Promise<Expected[]> {
  const tests = suspicious.filter(({ stops }) => stops !== undefined);
  if (tests.length === 0) return [];
  const states = testStates(await run("present", { tests, stop: "end" }));
  return tests.filter(({ isGreen }) => isGreen(states));
}

/** Those that came to one at the start: where their assertions fail and say so, these tests do. */
async function withAssertionAtStart(
  tests: readonly Expected[],
  run: RunStopped,
): Promise<Expected[]> {
  if (tests.length === 0) return [];
  const says = `a${randomBytes(8).toString("hex")}`;
  const ended = await run("start", { tests, stop: { says } });
  const saying = ended.filter(({ error_message }) => error_message?.includes(says));
  return tests.filter(({ isRed }) => isRed(testStates(saying)));
}
