import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Play } from "./case.ts";
import { type Ending, endingOf, RunJson } from "./ending.ts";
import { ownHome } from "./environment.ts";
import { outputOf } from "./machine.ts";
import { prepare } from "./prepare.ts";
import { scriptOf, taskOf } from "./script.ts";

const BIN = join(import.meta.dirname, "../../../packages/cli/bin/ccw-loop.js");
/** A loop that takes longer hangs. */
const LONGEST_MS = 240_000;

/**
 * Plays one case as a real loop in a new folder below `root`: the real command line in a process of its own. A
 * loop that was killed is taken up again once. Throws when it tells no end.
 */
export async function playLoop(play: Play, root: string): Promise<Ending> {
  const place = join(root, play.name);
  const top = join(place, "project");
  await mkdir(top, { recursive: true });
  try {
    await prepare(play, top);
    const script = join(place, "agent.json");
    await writeFile(script, JSON.stringify(scriptOf(play), null, 2));
    const cwd = join(top, play.case.folder);
    const common = ["--auto", "--json", "--loop-id", play.name];
    const first = [
      ...["run", taskOf(play), "--create", `--agent=scripted:${script}`],
      `--max-iterations=${play.case.max_iterations}`,
      ...play.project.flags,
      ...play.case.flags,
    ];
    const env = ownHome(top);
    const run = await command([...first, ...common], { cwd, env });
    const last = run.signal === "SIGKILL" ? await command(["run", ...common], { cwd, env }) : run;
    const parsed = RunJson.safeParse(asJson(last.stdout));
    if (!parsed.success) throw new Error(`The loop told no end: ${last.stderr || last.stdout}`);
    const ending = await endingOf(parsed.data.data);
    return { ...ending, behaves: outputOf(play.case.oracle ?? play.project.oracle, cwd) === "250" };
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function command(args: string[], { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LONGEST_MS,
  });
  const exit = once(child, "exit");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [, signal] = (await exit) as [number | null, NodeJS.Signals | null];
  return { stdout, stderr, signal };
}

function asJson(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
