import { isDeepStrictEqual } from "node:util";
import {
  type Cell,
  type CellRun,
  type CommandRun,
  fileOfTest,
  fitsTest,
  identified,
  type LoopState,
  type Objection,
  type TestStates,
  testStates,
  type Verification,
} from "@ccw-loop/core";
import { digestOf } from "./receipt.ts";

const FAILED_KEPT = 200;

/** What the judgement of a square rests on beside its runs. */
export type Judged = Pick<LoopState, "settings" | "baseline">;

export function cellRun(state: Judged, run: Verification): CellRun {
  return {
    tests: withCommands(state, testStates(run.tests), run.commands),
    trusted: areTrusted(state, run.commands),
    passed: run.passed,
    reason: run.reason,
  };
}

export function cellOf(run: Verification, where: Cell["where"]): Cell {
  const tests = testStates(run.tests);
  return {
    ...{
      command: run.command,
      where,
      exit_code: run.exit_code,
      counts: run.counts,
      commands: run.commands,
    },
    failed: failedOf(tests),
    tests_digest: digestOf(tests),
    reason: run.reason,
    duration_ms: run.duration_ms,
  };
}

/** A longer line of an error says no more. */
const REASON_KEPT = 300;

/** The verdict's objection with the error message of its first test: something may be missing in the clean room. */
export function withReason(objection: Objection, verdict: Verification | undefined): Objection {
  const [first] = objection.kind === "verdict" ? (objection.tests ?? []) : [];
  const found = identified(verdict?.tests ?? []).find(([id]) => id === first);
  const [line = ""] = (found?.[1].error_message ?? "").split("\n").filter((text) => text.trim());
  if (line === "") return objection;
  const said = line.trim().slice(0, REASON_KEPT);
  return { ...objection, message: `${objection.message} In the clean room: ${said}` };
}

export function baselineRun(state: Judged): CellRun {
  const { tests = {}, commands = [], reason = "" } = state.baseline ?? {};
  const passed = commands.length > 0 && commands.every(({ verdict }) => verdict === "passed");
  return {
    tests: withCommands(state, tests, commands),
    trusted: areTrusted(state, commands),
    passed,
    reason,
  };
}

export function baselineCell({ baseline }: Judged): Cell {
  const { command = "", commands = [], counts, tests = {}, reason = "" } = baseline ?? {};
  const bad = commands.find(({ verdict }) => verdict !== "passed") ?? commands.at(-1);
  return {
    command,
    where: "in_place",
    exit_code: bad?.exit_code ?? null,
    counts: counts ?? { total: 0, passed: 0, failed: 0, skipped: 0 },
    commands,
    failed: failedOf(tests),
    tests_digest: digestOf(tests),
    reason,
    duration_ms: commands.reduce((ms, one) => ms + one.duration_ms, 0),
  };
}

export function areAlike(one: CellRun, two: CellRun): boolean {
  const { passed, trusted, tests } = one;
  return passed === two.passed && trusted === two.trusted && isDeepStrictEqual(tests, two.tests);
}

/** Two runs of the same files: what was green in the baseline may be flaky, so one pass is enough; all else has to pass twice. */
export function mergeRetries(baseline: CellRun, one: CellRun, two: CellRun): CellRun {
  const tests: TestStates = {};
  for (const id of new Set([...Object.keys(one.tests), ...Object.keys(two.tests)])) {
    const [a, b] = [one.tests[id], two.tests[id]];
    const either = a === "passed" || b === "passed";
    const both = a === "passed" && b === "passed";
    const green = baseline.tests[id] === "passed" ? either : both;
    tests[id] = green ? "passed" : a === "passed" ? (b ?? "failed") : (a ?? "failed");
  }
  const better = one.trusted && (one.passed || !two.passed) ? one : two;
  return { ...better, tests };
}

/** How reports call a file that could not be loaded, behind its suite. */
const UNLOADED = " > (file)";

/** Whether an identity is that of a reported test, and not of a command or of a file that is loaded. */
export const isTest = (id: string, commands: readonly CommandRun[]): boolean =>
  !id.endsWith(UNLOADED) && !commands.some(({ command }) => commandId(command) === id);

/** What a command without a report (a linter, a compiler, a script) is called: it is a test of its own. */
const commandId = (command: string): string => `$ ${command}`;

/**
 * A file that could not be loaded at the start has tests now, which say what became of it: it is red only where the run
 * says that it still cannot be loaded.
 */
function withLoaded(baseline: Judged["baseline"], tests: TestStates): TestStates {
  const ids = Object.keys(tests);
  const hasTests = (file: string) =>
    ids.some((id) => id.startsWith(`${file} > `) || id.startsWith(`${file}.`));
  const loaded = Object.keys(baseline?.tests ?? {})
    .filter((id) => id.endsWith(UNLOADED) && tests[id] === undefined)
    .filter((id) => hasTests(id.slice(0, -UNLOADED.length)));
  return { ...tests, ...Object.fromEntries(loaded.map((id) => [id, "passed" as const])) };
}

/**
 * The tests with those that are commands without a report; a command that had none in the baseline alone is one too, and one
 * whose report could not be trusted there: it did not come to its tests, or not to the end of them.
 */
function withCommands(
  { baseline }: Judged,
  tests: TestStates,
  commands: readonly CommandRun[],
): TestStates {
  const silent = (baseline?.commands ?? []).filter(
    ({ report, verdict }) => report === null || verdict === "untrusted",
  );
  const named = new Set(silent.map(({ command }) => command));
  const own = commands
    .filter(({ command, report }) => report === null || named.has(command))
    .map(
      ({ command, verdict }) =>
        [commandId(command), verdict === "passed" ? "passed" : "failed"] as const,
    );
  return { ...withLoaded(baseline, tests), ...Object.fromEntries(own) };
}

function areTrusted({ settings }: Judged, commands: readonly CommandRun[]): boolean {
  const known = settings?.known_red ?? [];
  return commands.every(
    ({ verdict, command }) =>
      verdict !== "untrusted" || known.some((one) => fitsTest(one, command)),
  );
}

function failedOf(tests: TestStates): string[] {
  return Object.keys(tests)
    .filter((id) => tests[id] === "failed")
    .slice(0, FAILED_KEPT);
}

/** Whether a command's report cannot say in which files its tests are. */
export function placesNoTest({ report, runner }: CommandRun): boolean {
  return report === null || (report === "tap" && runner == null);
}

export function greenTests(run: CellRun | null, { test_files, tests, commands }: Verification) {
  const placed = tests.map(({ file, suite }) => file ?? suite);
  const files = [...new Set([...Object.keys(test_files), ...placed])].filter((file) => file !== "");
  return Object.entries(run?.tests ?? {})
    .filter(([id, status]) => status === "passed" && isTest(id, commands))
    .map(([id]) => ({ id, file: fileOfTest(id, files) }));
}
