/**
 * How long the built command line takes to start, as a ratio to `node -e 0`:
 *   node quality/bench/cli/start-up.ts [runs]
 * Whole processes, one of each kind in turn, so that a busy machine slows all of them alike; medians.
 */
import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ONE_TASK } from "@ccw-loop/testkit";
import { builtCopy } from "../../../packages/cli/scripts/built-copy.ts";
import { compose } from "../../../packages/cli/src/runtime/compose.ts";
import { machine, median } from "../../support/figures.ts";
import { temporaryFolder } from "../../support/folders.ts";

const RUNS = Number(process.argv[2] ?? 41);

/** What is run, where, and how often as long as `node -e 0` it may take; null where nothing was promised. */
interface Kind {
  args: string[];
  cwd: string;
  goal: number | null;
}

const folder = temporaryFolder("start-up");
const launcher = await builtCopy(join(folder, "cli"));
const one = await projectWith(1);
const twenty = await projectWith(20);
const list = [launcher, "list", "--json"];
report(
  measure({
    "node -e 0": { args: ["-e", "0"], cwd: one, goal: null },
    "ccw-loop --version": { args: [launcher, "--version"], cwd: one, goal: 1.5 },
    "ccw-loop --help": { args: [launcher, "--help"], cwd: one, goal: 1.5 },
    "ccw-loop list --json, 1 loop": { args: list, cwd: one, goal: 3 },
    "ccw-loop list --json, 20 loops": { args: list, cwd: twenty, goal: null },
  }),
);

async function projectWith(loops: number): Promise<string> {
  const project = join(folder, `${loops}`);
  await mkdir(join(project, ".workflow", ".loop"), { recursive: true, mode: 0o700 });
  const parts = compose(project, {
    warn: console.error,
    keyFile: join(project, ".workflow", "receipt.key"),
  });
  const service = await parts.loops();
  const script = join(project, "agent.json");
  await writeFile(script, JSON.stringify({ turns: ONE_TASK }));
  const settings = { agent: `scripted:${script}` };
  for (let i = 0; i < loops; i++) await service.create({ description: `Loop ${i}`, settings });
  await parts.close();
  return project;
}

/** The median of each kind in milliseconds; the first round only warms the disk and is thrown away. */
function measure(
  kinds: Record<string, Kind>,
): { name: string; goal: number | null; took: number }[] {
  const times = Object.entries(kinds).map(([name, kind]) => ({ name, kind, runs: [] as number[] }));
  for (let round = -1; round < RUNS; round++) {
    for (const { name, kind, runs } of times) {
      const begin = performance.now();
      const { cwd } = kind;
      const { status, stderr, error } = spawnSync(process.execPath, kind.args, {
        cwd,
        encoding: "utf8",
      });
      const took = performance.now() - begin;
      if (status !== 0)
        throw new Error(`${name} ended with ${status}: ${stderr}`, { cause: error });
      if (round >= 0) runs.push(took);
    }
  }
  return times.map(({ name, kind, runs }) => ({ name, goal: kind.goal, took: median(runs) }));
}

function report(figures: ReturnType<typeof measure>): void {
  const base = figures[0]?.took ?? Number.NaN;
  console.log(`machine: ${machine()}`);
  console.log(`${RUNS} rounds, medians`);
  for (const { name, goal, took } of figures) {
    const ratio = took / base;
    const missed = goal !== null && ratio > goal;
    const verdict = goal === null ? "" : ` (goal ${goal}, ${missed ? "MISSED" : "met"})`;
    console.log(
      `${name.padEnd(32)} ${took.toFixed(1).padStart(6)} ms  ratio ${ratio.toFixed(2)}${verdict}`,
    );
  }
}
