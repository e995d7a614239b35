import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CheckResult, fileOfTest, hasTestName, testStates } from "@ccw-loop/core";
import { verifier } from "../src/index.ts";
import { write } from "./write.ts";

// A machine may have it set, for all of its programs.
delete process.env.PYTHONDONTWRITEBYTECODE;

interface Checked {
  command: string;
  /** Of the one command; of a chain each has its own. */
  report?: string;
  /** The project at the start, and the changed sources. */
  start: Readonly<Record<string, string>>;
  present: Readonly<Record<string, string>>;
  /** What stands in the project alone. */
  beside?: Readonly<Record<string, string>>;
  /** Packages that are installed, by where they lie. */
  packages?: Readonly<Record<string, string>>;
  /** What the project's folder is called. */
  folder?: string;
}

/** Runs the tests with the present sources, and then the checks; with the number of rooms that they took. */
export async function checked(about: Checked) {
  const top = await mkdtemp(join(tmpdir(), "ccw-loop-checks-"));
  try {
    return await checkedIn(top, about);
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

async function checkedIn(top: string, about: Checked) {
  const { command, report, start, present, beside, packages = {}, folder = "project" } = about;
  let rooms = 0;
  const project = join(top, folder);
  await write(project, { ...start, ...present, ".git/HEAD": "ref: refs/heads/main\n", ...beside });
  await install(packages, project);
  const room = async (which: "start" | "present") => {
    rooms += 1;
    const cwd = join(top, `room-${rooms}`, "work");
    await write(cwd, { ...start, ...(which === "present" ? present : {}) });
    await install(packages, cwd);
    return { cwd, top: cwd, project, linked: [] };
  };
  const { signal } = new AbortController();
  const options = { signal, timeoutMs: 60_000 };
  const subject = verifier();
  const found = report === undefined ? await subject.detect(project, command) : null;
  const plan = found ?? {
    ...{ command, source: "given" },
    parts: [{ command, report: report ?? "exit-code" }],
  };
  const { cwd, ...rest } = await room("present");
  const verdict = await subject.verify(plan, { ...options, cwd, room: rest });
  const files = [...Object.keys(start), ...Object.keys(present)];
  const green = Object.entries(testStates(verdict.tests))
    .filter(([, status]) => status === "passed")
    .map(([id]) => ({ id, file: fileOfTest(id, files) }));
  const before = rooms;
  const sources = Object.keys(present);
  const unplaced = verdict.commands.filter((one) => one.report === null || one.report === "tap");
  const results = await subject.check(plan, {
    ...{ ...options, room, sources, green },
    unplaced: unplaced.map(({ command: typed }) => typed),
    judging: async (paths) => paths.filter(hasTestName),
  });
  const all = results.map(({ check, objections }) => [check.kind, check.result, objections.length]);
  return {
    verdict,
    rooms: rooms - before,
    all,
    of: (kind: string, at = 0) => resultOf(results, kind, at),
  };
}

async function install(packages: Readonly<Record<string, string>>, cwd: string): Promise<void> {
  for (const [name, place] of Object.entries(packages)) {
    await mkdir(join(cwd, "node_modules"), { recursive: true });
    await symlink(await realpath(place), join(cwd, "node_modules", name));
  }
}

/** The result of this kind; of several the one at this place. */
function resultOf(results: readonly CheckResult[], kind: string, at: number) {
  const found = results.filter(({ check }) => check.kind === kind).at(at);
  if (!found) throw new Error(`There is no check "${kind}" in ${JSON.stringify(results)}`);
  const { check, objections } = found;
  return {
    ...check,
    objections: objections.map((one) => one.kind),
    text: objections.map((one) => one.message).join("\n"),
  };
}
