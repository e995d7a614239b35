import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  type CheckResult,
  objectionOf,
  type ProofCheck,
  testStates,
  type VerifyPlan,
} from "@ccw-loop/core";
import { overwrite } from "../process/clean-room.ts";
import { type RunSettings, verify } from "../verify.ts";
import { assertsBy, type Canary, makeCanary } from "./canary.ts";
import { locateTests, nameOf, splitByFolder } from "./check-options.ts";
import { directRun, directStartsFor } from "./direct/direct.ts";
import type { ReplayLanguage } from "./replay/language.ts";
import { testFilesOf, textsOf } from "./replay/record.ts";
import { languagesOf, modulesUsed, replayRun } from "./replay/replay.ts";
import { type Falsified, falsify, runnerOfTestFile } from "./test-text.ts";

/** More test files say nothing new. */
const FILES_FALSIFIED = 20;

/** Test files of the room as they are to be: with wrong expectations, and one that is false altogether. */
interface Traps {
  canaries: Canary[];
  falsified: Map<string, Falsified>;
}

/** See `Verifier.check`. */
export async function check(
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
): Promise<CheckResult[]> {
  const room = await options.room("present");
  const located = await locateTests(options, room.cwd);
  const used = await modulesUsed(testFilesOf(located), room.cwd);
  const starts = await directStarts(plan, located, room);
  const canary = await canaryRun({ plan, options: located, settings, room });
  // One no is enough.
  if (canary.objections.length > 0) return [canary];
  const results = [canary];
  const changed = languagesOf(located.sources);
  const languages = changed.length > 0 ? changed : languagesOf(used);
  if (languages.length === 0) {
    const reason = "Calls of the changed sources cannot be recorded in their language.";
    results.push(notRun("replay", reason));
  }
  const replayed = new Set<ReplayLanguage>();
  for (const language of languages) {
    const isAlone = starts.every(({ start }) => start.replay !== language);
    const replay = await replayRun(plan, { language, options: located, settings, used, isAlone });
    results.push({ check: replay.check, objections: replay.objections });
    if (replay.objections.length > 0) return results;
    if (replay.check.result !== "not_run" && replay.unseen.length === 0) replayed.add(language);
  }
  // Tests that use more of a language's sources than can be repeated are started directly.
  if (starts.length === 0 && replayed.size === 0)
    results.push(notRun("direct", "The runner has no way to start its tests directly."));
  for (const { start, suites } of starts) {
    if (start.replay !== undefined && replayed.has(start.replay)) continue;
    results.push(await directRun(suites.plan, { start, options: suites.options, settings }));
  }
  return results;
}

/** How the tests can be started directly, folder by folder. */
async function directStarts(plan: VerifyPlan, options: CheckOptions, room: Checkout) {
  const folders = splitByFolder(plan, options).map(async (suites) => {
    const cwd = join(room.cwd, suites.folder);
    const starts = directStartsFor(suites.plan, await textsOf(testFilesOf(suites.options), cwd));
    return starts.map((start) => ({ start, suites }));
  });
  return (await Promise.all(folders)).flat();
}

function notRun(kind: ProofCheck["kind"], reason: string): CheckResult {
  return {
    check: { kind, result: "not_run", reason, looked_at: 0, duration_ms: 0 },
    objections: [],
  };
}

/**
 * One run in which tests must fail: the canary, and the project's own tests with wrong expectations. One that does not
 * fail is no objection where it does not fail at the start either.
 */
async function canaryRun({
  plan,
  options,
  settings,
  room,
}: {
  plan: VerifyPlan;
  options: CheckOptions;
  settings: RunSettings;
  room: Checkout;
}): Promise<CheckResult> {
  const began = performance.now();
  const ended = (result: ProofCheck["result"], reason: string, looked_at = 0): ProofCheck => ({
    ...{ kind: "canary", result, reason, looked_at },
    duration_ms: Math.round(performance.now() - began),
  });
  const traps = await trapsFor(plan, options, room.cwd);
  const expected = expectedRed(traps, options);
  if (expected.length === 0) {
    const reason =
      "No test could be made that has to fail: the runner's dialect is not known, or no expected value is.";
    return { check: ended("not_run", reason), objections: [] };
  }
  const run = async (at: Checkout) => {
    await writeTraps(traps, at.cwd);
    const { cwd, ...rest } = at;
    return verify(plan, { ...options, cwd, room: rest }, settings);
  };
  const present = await run(room);
  const silent = expected.filter((one) => !one.isRed(testStates(present.tests)));
  if (silent.length === 0 && !present.passed) {
    return {
      check: ended("held", `${expected.length} tests had to fail and did.`, expected.length),
      objections: [],
    };
  }
  const start = await run(await options.room("start"));
  const blamed = silent.filter((one) => one.isRed(testStates(start.tests)));
  if (blamed.length === 0 && silent.length === expected.length && !present.passed) {
    const reason = `None of ${expected.length} tests that had to fail did, neither now nor at the start: the run stops before them.`;
    return { check: ended("not_run", reason), objections: [] };
  }
  if (blamed.length === 0 && (!present.passed || start.passed)) {
    const reason = `${expected.length - silent.length} tests had to fail and did; ${silent.length} fail neither now nor at the start.`;
    return { check: ended("held", reason, expected.length), objections: [] };
  }
  const names = blamed.map(({ title }) => title);
  const message =
    "Tests that have to fail pass with the present sources, so the sources change how tests are judged";
  return {
    check: ended("failed", `${names.length} tests had to fail and passed.`, expected.length),
    objections: [objectionOf("canary", names.length > 0 ? names : ["the exit code"], message)],
  };
}

interface Expected {
  title: string;
  isRed: (states: Readonly<Record<string, string>>) => boolean;
}

function expectedRed({ canaries, falsified }: Traps, { green }: CheckOptions): Expected[] {
  const own = canaries.flatMap(({ titles }) =>
    titles.map((title, n) => ({
      title: n === 0 ? "a false test of ours" : "a test of ours with every kind of false assertion",
      isRed: redBy((id) => id.includes(title)),
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
        isRed: redBy((id) => ids.includes(id)),
      })),
  );
  return [...own, ...theirs];
}

/** At least one of the tests is reported as failed; one that vanished has not been. */
function redBy(isMeant: (id: string) => boolean) {
  return (states: Readonly<Record<string, string>>) =>
    Object.entries(states).some(([id, status]) => status === "failed" && isMeant(id));
}

async function trapsFor(plan: VerifyPlan, { green }: CheckOptions, cwd: string): Promise<Traps> {
  const files = [...new Set(green.flatMap(({ file }) => file ?? []))].slice(0, FILES_FALSIFIED);
  const falsified = new Map<string, Falsified>();
  const canaries = new Map<string, Canary>();
  for (const file of files) {
    const text = await readFile(join(cwd, file), "utf8").catch(() => null);
    if (text === null) continue;
    for (const { report } of plan.parts) {
      const dialect = runnerOfTestFile(report, text);
      const canary = canaries.has(assertsBy(text)) ? null : makeCanary(dialect, file, text);
      if (canary) canaries.set(assertsBy(text), canary);
    }
    const named = green.filter((one) => one.file === file).map(({ id }) => nameOf(id));
    const wrong = falsify(text, named);
    if (wrong.titles.length > 0) falsified.set(file, wrong);
  }
  return { canaries: [...canaries.values()], falsified };
}

async function writeTraps({ canaries, falsified }: Traps, cwd: string): Promise<void> {
  for (const canary of canaries) await writeFile(join(cwd, canary.path), canary.text);
  for (const [file, { text }] of falsified) await overwrite(join(cwd, file), text);
}
