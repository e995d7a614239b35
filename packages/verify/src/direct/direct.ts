import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CheckOptions,
  type Checkout,
  type CheckResult,
  fileOfTest,
  type Objection,
  objectionOf,
  testStates,
  type VerifyPlan,
} from "@ccw-loop/core";
import { type RunSettings, runPlanIn } from "@ccw-loop/test-runner";
import { mountAtProject, placeInRoom, type RunPlace } from "@ccw-loop/test-runner/clean-room";
import { textsOf } from "@ccw-loop/test-runner/project-files";
import { beginCheck, nameOf } from "../check-parts.ts";
import { inTerminal, runAsUser } from "../ordinary-program.ts";
import { testFilesOf } from "../replay/record.ts";
import { runnerOfTestFile } from "../test-text.ts";
import { commandsBefore } from "./builds.ts";
import type { DirectOutcome, DirectStart } from "./direct-start.ts";
import { DIRECT_STARTS } from "./starts.ts";

/** More output than this is not looked at. */
const READ_AT_MOST = 8 * 1024 * 1024;
/** What reports say of a file or a package that came to none of its tests. */
const NO_TEST = / > \((?:file|package)\)(?: #\d+)?$/;

interface Direct {
  start: DirectStart;
  command: string;
  plan: VerifyPlan;
  options: CheckOptions;
  settings: RunSettings;
  /** What `TZ` held for the recorded tests; null where that is not known, or they had none. */
  zone: string | null;
  /** Whether nobody finds the files of the tests while these run. */
  isTaken: boolean;
}

/** What speaks against the sources: tests by name, and suites that cannot be built as users build them. */
interface DirectFindings {
  failed: readonly string[];
  unclear: readonly string[];
  suites: readonly string[];
}

/** The ways in which tests of this plan, with these texts, can be started directly. */
export function directStartsFor({ parts }: VerifyPlan, tests: readonly string[]): DirectStart[] {
  const reports = parts.flatMap(({ report }) =>
    report === "script" ? tests.map((text) => runnerOfTestFile(report, text)) : report,
  );
  return [...new Set(reports.flatMap((report) => DIRECT_STARTS[report] ?? []))];
}

/**
 * The tests once more, started directly, in a terminal and some seconds before they are called: for what cannot be
 * recorded. One that passes under the runner and fails here
 * speaks against the sources, unless it does so on the start too.
 */
export async function directRun(
  plan: VerifyPlan,
  { start, options, settings, zone }: Pick<Direct, "start" | "options" | "settings" | "zone">,
): Promise<CheckResult> {
  const ended = beginCheck("direct");
  const command = plan.parts.find(({ report }) => DIRECT_STARTS[report] === start)?.command ?? "";
  const own = options.green.filter(({ file }) => file === undefined || start.handles(file));
  const about = { start, command, plan, settings, zone };
  const direct: Direct = { ...about, options: { ...options, green: own }, isTaken: false };
  const taken = { ...direct, isTaken: start.takesTests === true };
  const green = new Set(own.map(({ id }) => titleIn(direct, id)));
  let present = await outcomeIn(taken, "present");
  let all = findingsOf(present, green);
  const readers: string[] = [];
  // Whose tests fail for want of their files alone is asked only where some do.
  if (taken.isTaken && !isClean(all)) {
    const without = new Set(present.passed);
    present = await outcomeIn(direct, "present");
    all = findingsOf(present, green);
    const names = present.passed.filter((name) => green.has(name) && !without.has(name));
    if (names.length > 0 && !(await readsItsTests(taken, direct))) readers.push(...names);
  }
  if (present.reason !== undefined) return ended("not_run", present.reason);
  const { failed, suites } = isClean(all) ? all : await notAtStart(direct, present, all);
  const seen = new Set([...present.passed, ...present.failed]);
  const lookedAt = [...green].filter((name) => seen.has(name)).length;
  const objections: Objection[] = [];
  if (readers.length > 0) {
    const message =
      "Tests that pass under the runner fail where nobody can read the files that they are in";
    objections.push(objectionOf("direct", readers, message));
  }
  if (failed.length > 0) {
    const message = "Tests that pass under the runner fail when they are started directly";
    objections.push(objectionOf("direct", failed, message));
  }
  if (suites.length > 0) {
    const message =
      "Tests that pass under the runner cannot be built or do not end where the sources are built as users build them";
    objections.push(objectionOf("direct", suites, message));
  }
  if (objections.length > 0) {
    const reason = `${readers.length + failed.length + suites.length} of what passes under the runner fails when it is started directly.`;
    return ended("failed", reason, lookedAt, objections);
  }
  if (lookedAt === 0) {
    const reason = `No test could be started directly${all.suites.length > 0 ? ", neither now nor at the start" : ""}.`;
    return ended("not_run", reason);
  }
  const left = green.size - lookedAt;
  const reason = [
    "No test fails that passes under the runner.",
    ...(left > 0 ? [`${left} of them could not be started directly.`] : []),
    ...(present.note === undefined ? [] : [present.note]),
  ].join(" ");
  return ended("held", reason, lookedAt);
}

function findingsOf(present: DirectOutcome, green: ReadonlySet<string>): DirectFindings {
  return {
    failed: present.failed.filter((name) => green.has(name)),
    unclear: (present.unclear ?? []).filter((name) => green.has(name)),
    suites: [...new Set([...(present.broken ?? []), ...(present.unbuilt ?? [])])],
  };
}

const isClean = ({ failed, unclear, suites }: DirectFindings): boolean =>
  failed.length + unclear.length + suites.length === 0;

/** Whether tests fail for want of their files with the sources of the start too: of a project that is about source text, say. */
async function readsItsTests(taken: Direct, direct: Direct): Promise<boolean> {
  const without = new Set((await outcomeIn(taken, "start")).passed);
  const { passed } = await outcomeIn(direct, "start");
  return passed.some((name) => !without.has(name));
}

function titleIn({ start }: Direct, id: string): string {
  return (start.nameOf ?? nameOf)(id);
}

/** Starts the tests directly in a new room. */
async function outcomeIn(direct: Direct, which: "start" | "present"): Promise<DirectOutcome> {
  const { start, options, isTaken } = direct;
  const room = await options.room(which);
  const folder = join(dirname(room.top), "build");
  const place = await mountAtProject(room, direct.settings.hidden);
  await mkdir(folder, { recursive: true });
  const tests = testFilesOf(options);
  const texts = textsOf(tests, room.cwd);
  const inRoom = placeInRoom(room, direct.settings.hidden);
  const run = (command: string) => outputOf(command, { room, at: inRoom, direct });
  const runInPlace = (command: string) => outputOf(command, { room, at: place, direct });
  const started = async (script: string) => {
    const file = join(folder, "run.sh");
    await writeFile(file, place.shown(script));
    return runInPlace(inTerminal(`sh '${file}'`) ?? `sh '${file}'`);
  };
  // Tests may be of what is built, which users build by themselves.
  const builds = commandsBefore(direct.plan, start, { ...options, cwd: room.cwd });
  if (builds.length > 0) await started(builds.join("\n"));
  const { command, read: outcome } = await start.prepare({
    ...{ root: room.cwd, folder, tests, run, runInPlace },
    ...{ command: direct.command, isTaken, zone: direct.zone },
    ...{ token: `k${randomBytes(6).toString("hex")}`, shown: place.shown },
    sources: options.sources,
    suites: new Set(options.green.map(({ id }) => suiteOf(id))),
    textOf: (path) => texts.get(path) ?? "",
    start: async () => (which === "start" ? room.cwd : (await options.room("start")).cwd),
  });
  const { failed, ...rest } = outcome(command === null ? "" : await started(command));
  return { ...rest, failed: [...new Set(failed)] };
}

/** What a report calls the program or file of a test. */
function suiteOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf(" > "))).replace(/ #\d+$/, "");
}

async function outputOf(
  command: string,
  { room, at, direct: { options, settings } }: { room: Checkout; at: RunPlace; direct: Direct },
): Promise<string> {
  let output = "";
  await runAsUser(at.shown(command), {
    ...{ cwd: room.cwd, place: at, login: true, options, settings },
    timeoutMs: options.timeoutMs,
    onStdout: (chunk) => {
      if (output.length < READ_AT_MOST) output += chunk.toString();
    },
  });
  return output;
}

/** What was found without what is so with the sources of the start too, although it passes under the runner there. */
async function notAtStart(
  direct: Direct,
  present: DirectOutcome,
  all: DirectFindings,
): Promise<DirectFindings> {
  const { plan, options, settings } = direct;
  const { tests } = await runPlanIn(await options.room("start"), plan, options, settings);
  const states = Object.entries(testStates(tests));
  const green = states.filter(([, status]) => status === "passed").map(([id]) => id);
  const names = new Set(green.map((id) => titleIn(direct, id)));
  const files = options.green.flatMap(({ file }) => file ?? []);
  const run = new Set(
    states
      .filter(([id, status]) => status === "passed" || (status === "failed" && !NO_TEST.test(id)))
      .flatMap(([id]) => [suiteOf(id), fileOfTest(id, files) ?? ""]),
  );
  const start = await outcomeIn(direct, "start");
  const failed = new Set(
    [...start.failed, ...(start.unclear ?? [])].filter((name) => names.has(name)),
  );
  const passed = new Set(start.passed);
  const bad = new Set([...(start.broken ?? []), ...(start.unbuilt ?? [])]);
  // What cannot be built in this way at all has no word against the sources; what can be built only for tests has.
  const unbuilt = new Set(present.unbuilt ?? []);
  // Only of a test that passed directly is it known that it needs no runner.
  const needless = all.unclear.filter((name) => passed.has(name) && names.has(name));
  return {
    failed: [...all.failed.filter((name) => !failed.has(name)), ...needless],
    unclear: [],
    suites: all.suites.filter(
      (suite) => !bad.has(suite) || !(unbuilt.has(suite) || run.has(suite)),
    ),
  };
}
