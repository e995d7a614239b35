import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandLine } from "../../loops/command-line.ts";
import { ownHome } from "../../loops/environment.ts";
import { exitOf } from "../../loops/machine.ts";
import { agentFor, TASK } from "./agent.ts";
import type { Seen } from "./judge.ts";
import { observedIn } from "./observed.ts";
import { change, prepare } from "./prepare.ts";
import { type Project, testCommand } from "./project.ts";

/** A loop that takes longer hangs. */
const LONGEST_MS = 900_000;
const LOOP = "survey";

/** What a project came to, and how long its loop took. */
export interface Played extends Seen {
  seconds: number;
}

/**
 * Plays one project as a whole loop in a new folder below `root`, then verifies its receipt, unless `quick`, and times its tests
 * alone.
 */
export async function play(project: Project, root: string, quick: boolean): Promise<Played> {
  const place = join(root, project.name.replaceAll("/", "-"));
  const top = join(place, project.place ?? "project");
  try {
    await mkdir(place, { recursive: true });
    await prepare(project, top);
    const script = join(place, "agent.json");
    await writeFile(script, JSON.stringify(agentFor(project), null, 2));
    const cwd = join(top, project.folder ?? ".");
    const options = { cwd, env: ownHome(top), longestMs: LONGEST_MS };
    const began = performance.now();
    const run = await commandLine(
      [
        ...["run", TASK, "--create", "--loop-id", LOOP, "--auto", `--agent=scripted:${script}`],
        ...(project.verify ?? []).flatMap((command) => ["--verify", command]),
        ...(project.flags ?? []),
      ],
      options,
    );
    const seconds = (performance.now() - began) / 1000;
    const stateFile = join(cwd, ".workflow/.loop", `${LOOP}.json`);
    const loop = existsSync(stateFile) ? await observedIn(stateFile) : null;
    const done = loop?.status === "completed";
    const verified = done && !quick ? await commandLine(["verify", LOOP], options) : null;
    return {
      ...{ loop, exit: run.exit, said: lastLines(run.stderr + run.stdout), seconds },
      verify: verified && {
        exit: verified.exit,
        said: lastLines(verified.stdout + verified.stderr),
      },
      plain: project.expected === undefined ? await plainRun(project, top, cwd) : null,
    };
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The exit code of its tests on the right files, and the faster one of two runs. */
async function plainRun(project: Project, top: string, cwd: string): Promise<Seen["plain"]> {
  const { edit } = project;
  const text = await readFile(join(top, edit.file), "utf8");
  const now = (["bug", "wrong"] as const).find((which) => text.includes(edit[which]));
  if (now) await change(edit, now, "right", top);
  const runs = [1, 2].map(() => {
    const began = performance.now();
    const exit = exitOf(testCommand(project), cwd, ownHome(top));
    return { exit, seconds: (performance.now() - began) / 1000 };
  });
  const failed = runs.find(({ exit }) => exit !== 0);
  return failed ?? runs.sort((a, b) => a.seconds - b.seconds)[0] ?? null;
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-3).join(" ");
}
