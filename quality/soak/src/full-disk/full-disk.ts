import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CLI } from "../../../support/command-line.ts";
import { removeFolder, temporaryFolder } from "../../../support/folders.ts";
import { unmetNeeds } from "../../../support/runs.ts";
import { bundleWorker, start } from "../processes.ts";
import type { FullDiskTask } from "../workers/full-disk.ts";
import type { DiskUser, WorkerMessage } from "../workers/messages.ts";

/** Of the file system: enough for all loops of the test, and quickly filled. */
const SIZE = "16m";

const WHOLE = {
  pagesLeft: [0, 1, 2, 3, 4, 5, 6, 7, 8],
  commits: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
};

export interface FullDisk {
  /** Why it cannot be tried on this machine. */
  skipped: string | null;
  acknowledged: number;
  lost: string[];
  done: number;
  refused: Record<DiskUser, number>;
  problems: string[];
  /** Why the run does not count: what happened too seldom, a sentence each. */
  missing: string[];
}

/** Lets a process meet a full disk that only it and its children can see. */
export async function fullDisk(
  log: (line: string) => void,
  { pagesLeft, commits }: Pick<FullDiskTask, "pagesLeft" | "commits"> = WHOLE,
): Promise<FullDisk> {
  const result: FullDisk = {
    ...{ skipped: null, acknowledged: 0, done: 0 },
    refused: { commands: 0, "driven loop": 0, "command line": 0 },
    ...{ lost: [], problems: [], missing: [] },
  };
  const root = temporaryFolder("soak");
  const small = join(root, ".workflow");
  mkdirSync(small);
  try {
    const prefix = mounting(small);
    if (!prefix) {
      const skipped = "no tmpfs can be mounted here, neither as root nor in a user namespace";
      log(`Skipped: ${skipped}.`);
      return { ...result, skipped, missing: missingIn(result) };
    }
    using bundle = await bundleWorker();
    const onMessage = (message: WorkerMessage) => {
      if (message.kind === "full-disk") Object.assign(result, message);
    };
    const task: FullDiskTask = { root, cli: CLI, pagesLeft, commits };
    const worker = { program: bundle.program, role: "full-disk", task, prefix };
    const { gone, complaint } = start(worker, onMessage);
    await gone;
    if (result.acknowledged === 0) result.problems.push(`It ended early: ${complaint()}`);
    const problems = [...result.problems, ...result.lost];
    return { ...result, problems, missing: missingIn(result) };
  } finally {
    removeFolder(root);
  }
}

function missingIn({ acknowledged, done, refused }: FullDisk): string[] {
  const needs = [
    { what: "commit acknowledged", count: acknowledged },
    { what: "step done on a nearly full disk", count: done },
    ...Object.entries(refused).map(([who, count]) => ({
      what: `refusal for the full disk (${who})`,
      count,
    })),
  ];
  return unmetNeeds(needs, 1, "run");
}

/** The beginning of a command line that runs the rest with a small file system on that folder; null if none can. */
function mounting(folder: string): string[] | null {
  const script = `mount -t tmpfs -o size=${SIZE},mode=700 soak "$0" && exec "$@"`;
  for (const flags of ["-m", "-Urm"]) {
    const prefix = ["unshare", flags, "sh", "-c", script, folder];
    const [command = "", ...args] = [...prefix, "true"];
    if (spawnSync(command, args).status === 0) return prefix;
  }
  return null;
}

/** The last line of a run. */
export function fullDiskLine(result: FullDisk): string {
  const { skipped, acknowledged, lost, done, problems } = result;
  if (skipped !== null) return `skipped: ${skipped}`;
  const refused = Object.values(result.refused).reduce((sum, one) => sum + one, 0);
  return `acked: ${acknowledged}, lost: ${lost.length}, steps done: ${done}, refused clearly: ${refused}, problems: ${problems.length}`;
}
