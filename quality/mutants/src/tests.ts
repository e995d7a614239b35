import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { environOf, runningProcesses } from "@ccw-loop/processes";
import { z } from "zod";
import type { NoticingTest } from "../mutant.ts";

/** A checkout that is played in, and a folder for what its tests leave behind. */
export interface Playground {
  folder: string;
  temporary: string;
}

/** `broken`: nothing was learned, for the reason that is given. */
export type Verdict = { kind: "passed" } | { kind: "failed" } | { kind: "broken"; why: string };

const VITEST = "node_modules/vitest/vitest.mjs";

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});
type Report = z.infer<typeof Report>;

/** Runs these tests and no others, all with one start of vitest; a verdict for each, in their order. */
export async function runTests(
  { folder, temporary }: Playground,
  tests: readonly NoticingTest[],
  limitMs: number,
): Promise<Verdict[]> {
  // Without the name of any file, vitest would run all there are.
  if (tests.length === 0) return [];
  const outputFile = join(temporary, "report.json");
  rmSync(outputFile, { force: true });
  const { code, output } = await start(
    folder,
    [
      ...[VITEST, "run", ...new Set(tests.map(({ file }) => join(folder, file)))],
      ...["--testNamePattern", tests.map(({ title }) => patternOf(title)).join("|")],
      ...["--reporter=json", `--outputFile=${outputFile}`, "--retry=0", "--maxWorkers=2"],
    ],
    { temporary, limitMs },
  );
  const report = reportIn(outputFile);
  return tests.map((test): Verdict => {
    if (code === null) return { kind: "broken", why: `It took longer than ${limitMs / 1000} s.` };
    if (!report) return { kind: "broken", why: `vitest did not run: ${tail(output)}` };
    return verdictOn(test, folder, report);
  });
}

function verdictOn({ file, title }: NoticingTest, folder: string, report: Report): Verdict {
  const found = report.testResults.find(({ name }) => name === join(folder, file));
  const pattern = new RegExp(patternOf(title));
  const named = (found?.assertionResults ?? []).filter(({ fullName }) => pattern.test(fullName));
  const ran = named.filter(({ status }) => status === "passed" || status === "failed");
  if (ran.some(({ status }) => status === "failed")) return { kind: "failed" };
  if (ran.length > 0) return { kind: "passed" };
  if (found?.message)
    return { kind: "broken", why: `${file} cannot be run: ${tail(found.message)}` };
  if (named.length > 0) return { kind: "broken", why: `"${title}" is skipped on this machine.` };
  return { kind: "broken", why: `${file} has no test "${title}".` };
}

/** Titles of a group and its test are joined in one of two ways. */
function patternOf(title: string): string {
  const escaped = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return escaped.replaceAll(/ > | /g, "(?: > | )");
}

function reportIn(path: string): Report | null {
  try {
    return Report.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

function tail(text: string): string {
  return text.trim().slice(-600);
}

/** How a program ended; `code` is null when it was ended because its time was over. */
interface Ended {
  code: number | null;
  output: string;
}

const MARK = "CCW_LOOP_MUTANTS";

/**
 * Runs a program with Node in a folder and ends everything that it left behind: what a mutant breaks may be the end of
 * processes.
 */
export async function start(
  cwd: string,
  command: readonly string[],
  { temporary, limitMs }: { temporary: string; limitMs: number },
): Promise<Ended> {
  const mark = `${MARK}=${randomUUID()}`;
  const { CI: _, ...env } = process.env;
  const child = spawn(process.execPath, [...command], {
    cwd,
    env: { ...env, NO_COLOR: "1", TMPDIR: temporary, [MARK]: mark.slice(MARK.length + 1) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const leave = () => endMarked(mark);
  process.once("exit", leave);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endMarked(mark);
  }, limitMs);
  const closed = once(child, "close");
  const [code] = await once(child, "exit");
  clearTimeout(timer);
  endMarked(mark);
  process.off("exit", leave);
  await closed;
  return { code: late ? null : (code ?? 1), output };
}

/** All processes that have it in their environment; again, until none of them started another one meanwhile. */
function endMarked(mark: string): void {
  for (let tries = 0; tries < 20; tries++) {
    const left = runningProcesses().filter(({ pid }) => environOf(pid).includes(mark));
    if (left.length === 0) return;
    for (const { pid } of left) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended in the meantime.
  }
}
