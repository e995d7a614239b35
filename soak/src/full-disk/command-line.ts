import { spawnSync } from "node:child_process";
import { scriptOf } from "./driven.ts";
import type { SmallDisk } from "./small-disk.ts";

/** What the exit codes of DESIGN §8 say about the environment. */
const ENVIRONMENT = 5;

/** The command line names the disk and exits with the code of the environment; afterwards the same command works. */
export async function commandLineOnAFullDisk(disk: SmallDisk, program: string): Promise<void> {
  const { root, service, filler, tried, note } = disk;
  await service.create({ id: "paused", description: "A loop that is to be paused" });
  await service.send("paused", { type: "start" });
  const agent = `scripted:${scriptOf(disk)}`;
  const task = ["A task", "--create", "--agent", agent, "--verify", "true"];
  // A run may well end with a question to a person: nothing has changed that could be proven.
  const commands: [string, string[], number[]][] = [
    ["run of a new loop", ["run", ...task, "--auto", "--loop-id", "told"], [0, 4]],
    ["pause", ["pause", "paused"], [0]],
  ];
  for (const [name, args, fine] of commands) {
    filler.fill(0);
    const full = run(root, program, args);
    filler.empty();
    if (full.status === ENVIRONMENT && /disk is full/i.test(full.stderr)) {
      tried.refused["command line"] += 1;
    } else note(`ccw-loop ${name} on a full disk: exit code ${full.status}, ${full.stderr}`);
    const again = run(root, program, args);
    tried.done += 1;
    if (!fine.includes(again.status ?? -1)) {
      note(`ccw-loop ${name} with space again: exit code ${again.status}, ${again.stderr}`);
    }
  }
}

function run(cwd: string, program: string, args: string[]) {
  return spawnSync(process.execPath, [program, ...args], {
    cwd,
    encoding: "utf8",
    timeout: 60_000,
  });
}
