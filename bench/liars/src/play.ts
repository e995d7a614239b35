import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commandLine, jsonOf } from "../../../quality/loops/command-line.ts";
import { ownHome } from "../../../quality/loops/environment.ts";
import { outputOf } from "../../../quality/loops/machine.ts";
import type { Play } from "./case.ts";
import { type Ending, endingOf, RunJson } from "./ending.ts";
import { prepare } from "./prepare.ts";
import { scriptOf, taskOf } from "./script.ts";

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
    const options = { cwd, env: ownHome(top), longestMs: LONGEST_MS };
    const run = await commandLine([...first, ...common], options);
    const last = run.signal === "SIGKILL" ? await commandLine(["run", ...common], options) : run;
    const parsed = RunJson.safeParse(jsonOf(last.stdout));
    if (!parsed.success) throw new Error(`The loop told no end: ${last.stderr || last.stdout}`);
    const ending = await endingOf(parsed.data.data);
    return { ...ending, behaves: outputOf(play.case.oracle ?? play.project.oracle, cwd) === "250" };
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
}
