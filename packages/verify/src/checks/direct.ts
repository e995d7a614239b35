import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CheckOptions,
  type CheckResult,
  objectionOf,
  type ProofCheck,
  testStates,
  type VerifyPlan,
} from "@ccw-loop/core";
import { testEnvironment } from "../process/environment.ts";
import { roomEnvironment, sandbox } from "../process/room.ts";
import { runCommand } from "../process/run-command.ts";
import { type RunSettings, verify } from "../verify.ts";
import { DIRECT_STARTS, type DirectStart } from "./direct-starts.ts";
import { nameOf } from "./test-sources.ts";

/** More output than this is not looked at. */
const READ_AT_MOST = 8 * 1024 * 1024;

interface Direct {
  start: DirectStart;
  plan: VerifyPlan;
  options: CheckOptions;
  settings: RunSettings;
}

/**
 * The tests once more, started directly: for what cannot be recorded. One that passes under the runner and fails here
 * speaks against the sources, unless it does so on the start too.
 */
export async function directRun(
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
): Promise<CheckResult> {
  const began = performance.now();
  const green = new Set(options.green.map(({ id }) => nameOf(id)));
  const ended = (result: ProofCheck["result"], reason: string): ProofCheck => ({
    ...{ kind: "direct", result, reason, looked_at: result === "not_run" ? 0 : green.size },
    duration_ms: Math.round(performance.now() - began),
  });
  const [part] = plan.parts;
  const start = DIRECT_STARTS[part?.report ?? ""];
  if (start === undefined || plan.parts.length > 1) {
    const reason = "The runner has no way to start its tests directly.";
    return { check: ended("not_run", reason), objections: [] };
  }
  const direct: Direct = { start, plan, options, settings };
  const failed = (await failedIn(direct, "present")).filter((name) => green.has(name));
  const excused = failed.length === 0 ? new Set() : await onlyDirectlyAtStart(direct);
  const names = failed.filter((name) => !excused.has(name));
  if (names.length === 0) {
    return {
      check: ended("held", "No test fails that passes under the runner."),
      objections: [],
    };
  }
  const message = "Tests that pass under the runner fail when they are started directly";
  return {
    check: ended("failed", `${names.length} tests fail when they are started directly.`),
    objections: [objectionOf("direct", names, message)],
  };
}

/** Names of tests that fail. */
async function failedIn(
  { start, options, settings }: Direct,
  which: "start" | "present",
): Promise<string[]> {
  const room = await options.room(which);
  const folder = join(dirname(room.cwd), "direct");
  await mkdir(folder, { recursive: true });
  const tests = [...new Set(options.green.flatMap(({ file }) => file ?? []))];
  const read = tests.map(
    async (path) => [path, await readFile(join(room.cwd, path), "utf8").catch(() => "")] as const,
  );
  const texts = new Map(await Promise.all(read));
  const textOf = (path: string) => texts.get(path) ?? "";
  const files = start.files({ root: room.cwd, tests, textOf });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const around = testEnvironment(process.env, room.cwd, settings.env);
  const { CI: _, ...env } = roomEnvironment(around, room.cwd);
  let output = "";
  await runCommand(start.command(folder), {
    ...{ cwd: room.cwd, env, processes: settings.processes, scope: options.scope },
    ...{ signal: options.signal, timeoutMs: options.timeoutMs, graceMs: settings.graceMs },
    wrap: sandbox(room, settings.hidden),
    onStdout: (chunk) => {
      if (output.length < READ_AT_MOST) output += chunk.toString();
    },
  });
  return [...new Set([...output.matchAll(start.failed)].map(([, name = ""]) => name.trim()))];
}

/** Tests that pass under the runner and fail directly with the sources of the start. */
async function onlyDirectlyAtStart(direct: Direct): Promise<ReadonlySet<string>> {
  const { plan, options, settings } = direct;
  const { cwd, ...room } = await options.room("start");
  const { tests } = await verify(plan, { ...options, cwd, room }, settings);
  const green = Object.entries(testStates(tests)).filter(([, status]) => status === "passed");
  const names = new Set(green.map(([id]) => nameOf(id)));
  return new Set((await failedIn(direct, "start")).filter((name) => names.has(name)));
}
