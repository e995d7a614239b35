import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandLine } from "../../support/command-line.ts";
import { environment, exitOf, isolatedEnvironment } from "../../support/environment.ts";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import { mapConcurrently } from "../../support/runs.ts";
import { problemsOf, type Seen } from "./judge.ts";
import { observedIn } from "./observed.ts";
import { change, prepare } from "./prepare.ts";
import { agentFor, type Project, TASK, testCommand } from "./project.ts";

/** What the survey says about one project. */
export interface Row {
  project: Project;
  /** Null where it could not be played: `problems` say why, or `missing`. */
  played: Played | null;
  problems: string[];
  /** What this machine lacks for it; then it is listed and says nothing. */
  missing: string | null;
}

interface Options {
  /** Receipts are not verified again. */
  quick: boolean;
  /** Where the projects' folders stay; without it they are removed. */
  keep?: string | undefined;
}

/** Plays the projects, `lanes` at a time; `onRow` is called as each one ends. */
export async function survey(
  projects: readonly Project[],
  { lanes, onRow, ...options }: Options & { lanes: number; onRow: (row: Row) => void },
): Promise<Row[]> {
  const root = options.keep ?? temporaryFolder("projects");
  await mkdir(root, { recursive: true });
  try {
    return await mapConcurrently(projects, lanes, async (project) => {
      const row = await rowOf(project, root, options);
      onRow(row);
      return row;
    });
  } finally {
    if (options.keep === undefined) removeFolder(root);
  }
}

async function rowOf(project: Project, root: string, options: Options): Promise<Row> {
  const { needs } = project;
  if (needs && exitOf(needs, root, environment(), 30_000) !== 0)
    return { project, played: null, problems: [], missing: `\`${needs}\` fails here` };
  try {
    const played = await play(project, root, options);
    return { project, played, problems: problemsOf(project, played), missing: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { project, played: null, problems: [problem], missing: null };
  }
}

/** The last line of a run, and whether everything is as it has to be. */
export function lastLine(rows: readonly Row[]): string {
  const { right, missing } = counted(rows);
  const rest = missing > 0 ? `, ${missing} not played here` : "";
  return `as expected: ${right} of ${rows.length - missing}${rest}`;
}

export function isRight(rows: readonly Row[]): boolean {
  const { right, missing } = counted(rows);
  return right > 0 && right + missing === rows.length;
}

function counted(rows: readonly Row[]): { right: number; missing: number } {
  const missing = rows.filter((row) => row.missing !== null).length;
  const right = rows.filter((row) => row.missing === null && row.problems.length === 0).length;
  return { right, missing };
}

/** A loop that takes longer hangs. */
const LONGEST_MS = 900_000;
const LOOP = "survey";

/** What a project came to, and how long its loop took. */
interface Played extends Seen {
  seconds: number;
}

/**
 * Plays one project as a whole loop in a new folder below `root`, then verifies its receipt, unless `quick`, and times its tests
 * alone.
 */
async function play(project: Project, root: string, { quick, keep }: Options): Promise<Played> {
  const place = join(root, project.name.replaceAll("/", "-"));
  const top = join(place, project.place ?? "project");
  try {
    await mkdir(place, { recursive: true });
    await prepare(project, top);
    const script = join(place, "agent.json");
    await writeFile(script, JSON.stringify(agentFor(project), null, 2));
    const cwd = join(top, project.folder ?? ".");
    const options = { cwd, env: isolatedEnvironment(top), longestMs: LONGEST_MS };
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
    if (keep === undefined) await rm(place, { recursive: true, force: true, maxRetries: 5 });
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
    const exit = exitOf(testCommand(project), cwd, isolatedEnvironment(top));
    return { exit, seconds: (performance.now() - began) / 1000 };
  });
  const failed = runs.find(({ exit }) => exit !== 0);
  return failed ?? runs.sort((a, b) => a.seconds - b.seconds)[0] ?? null;
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-3).join(" ");
}
