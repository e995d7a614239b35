/**
 * How long the built command line takes to start, as a ratio to `node -e 0` (DESIGN §11):
 *   node packages/cli/bench/start-up.ts [runs]
 * Whole processes, one of each kind in turn, so that a busy machine slows all of them alike; medians.
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { builtCopy } from "../scripts/built-copy.ts";
import { compose } from "../src/compose.ts";

const RUNS = Number(process.argv[2] ?? 41);
const LOOPS = 20;
const GOALS = { "--version": 1.5, "--help": 1.5, "list --json": 3 };

const folder = await mkdtemp(join(tmpdir(), "ccw-start-up-"));
try {
  const launcher = await builtCopy(join(folder, "cli"));
  const project = join(folder, "project");
  await makeLoops(project);
  const kinds = new Map([["node -e 0", ["-e", "0"]]]);
  for (const words of Object.keys(GOALS)) kinds.set(words, [launcher, ...words.split(" ")]);
  const times = measure(kinds, project);
  report(times);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function makeLoops(project: string): Promise<void> {
  await mkdir(join(project, ".git"), { recursive: true });
  const parts = compose(project, console.error);
  const loops = await parts.loops();
  for (let i = 0; i < LOOPS; i++) await loops.create({ description: `Loop ${i}` });
  await parts.close();
}

/** Milliseconds of each run by kind; the first round only warms the disk and is thrown away. */
function measure(kinds: ReadonlyMap<string, string[]>, cwd: string): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (let round = -1; round < RUNS; round++) {
    for (const [kind, args] of kinds) {
      const begin = performance.now();
      const { status, stderr, error } = spawnSync(process.execPath, args, {
        cwd,
        encoding: "utf8",
      });
      const took = performance.now() - begin;
      if (status !== 0)
        throw new Error(`${kind} ended with ${status}: ${stderr}`, { cause: error });
      if (round >= 0) times.set(kind, [...(times.get(kind) ?? []), took]);
    }
  }
  return times;
}

function report(times: ReadonlyMap<string, number[]>): void {
  const base = median(times.get("node -e 0") ?? []);
  console.log(
    `machine: ${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${tmpdir()}`,
  );
  console.log(`${RUNS} rounds, ${LOOPS} loops; node -e 0 takes ${base.toFixed(1)} ms (median)`);
  for (const [kind, goal] of Object.entries(GOALS)) {
    const took = median(times.get(kind) ?? []);
    const ratio = took / base;
    const verdict = ratio <= goal ? "met" : "MISSED";
    console.log(
      `ccw-loop ${kind.padEnd(12)} ${took.toFixed(1).padStart(6)} ms  ratio ${ratio.toFixed(2)} (goal ${goal}, ${verdict})`,
    );
    if (ratio > goal) process.exitCode = 1;
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
