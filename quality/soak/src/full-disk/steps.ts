import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLoopError } from "@ccw-loop/core";
import { newTask } from "../workers/composition.ts";
import type { SmallDisk } from "./small-disk.ts";

const OWNER = "soak";

/** Every command of an operator and every step of a lease, tried on a disk with nothing to a few pages left. */
export async function commandsOnAFullDisk(
  disk: SmallDisk,
  pagesLeft: readonly number[],
): Promise<void> {
  const { service, store } = disk;
  for (const free of pagesLeft) {
    const id = `loop-${free}`;
    const command = (type: "start" | "pause" | "resume" | "stop") => () =>
      service.send(id, { type });
    await step(disk, free, `create with ${free} pages`, () =>
      service.create({ id, description: "A loop on a small disk" }),
    );
    const steps: [string, () => Promise<unknown>][] = [
      ["start", command("start")],
      ["add_task", () => service.send(id, { type: "add_task", task: newTask("task") })],
      ["claim", async () => store.release(await store.claim(id, OWNER, 1000))],
      [
        "edit",
        () => service.send(id, { type: "edit", changes: { notes: `${free} `.repeat(3000) } }),
      ],
      ["pause", command("pause")],
      ["resume", command("resume")],
      ["stop", command("stop")],
    ];
    for (const [name, attempt] of steps)
      await step(disk, free, `${name} with ${free} pages`, attempt);
  }
}

/** It is done or clearly refused; when there is space again it is done. */
async function step(
  { filler, note, tried }: SmallDisk,
  free: number,
  name: string,
  attempt: () => Promise<unknown>,
): Promise<void> {
  filler.fill(free);
  let done = false;
  try {
    await attempt();
    done = true;
    tried.done += 1;
  } catch (error) {
    tried.refused.commands += 1;
    if (!isDiskFull(error)) note(`${name}: ${String(error)}`);
  }
  filler.empty();
  if (!done)
    await attempt().catch((error: unknown) => note(`${name}, with space: ${String(error)}`));
}

/** Names the disk and the next step. */
export function isDiskFull(error: unknown): boolean {
  return (
    isLoopError(error, "store_unavailable") && /disk is full.*free some space/i.test(error.message)
  );
}

/** A loop is driven into a full disk at its nth commit, for each of these numbers, and goes on to its end when there is space again. */
export async function drivenIntoAFullDisk(
  disk: SmallDisk,
  commits: readonly number[],
): Promise<void> {
  for (const at of commits) {
    const id = `driven-${at}`;
    const { service, filler, tried, note } = disk;
    await service.create({
      id,
      description: "A loop that is driven into a full disk",
      settings: { mode: "auto", agent: `scripted:${scriptOf(disk)}`, waive_tests: "The soak." },
    });
    await service.send(id, { type: "add_task", task: newTask("task") });
    let left = at;
    const stopListening = disk.onCommit(() => {
      left -= 1;
      if (left === 0) filler.fill(0);
    });
    try {
      await service.run(id);
      tried.done += 1;
    } catch (error) {
      tried.refused["driven loop"] += 1;
      if (!isDiskFull(error)) note(`Run into a full disk at commit ${at}: ${String(error)}`);
    }
    stopListening();
    filler.empty();
    const { status } = await service.get(id);
    if (status === "completed") continue;
    const end = await service.run(id).catch((error: unknown) => ({ status: String(error) }));
    if (end.status !== "completed") {
      note(`Cut off at commit ${at}, it did not go on to its end with space again: ${end.status}`);
    }
  }
}

export function scriptOf({ root }: Pick<SmallDisk, "root">): string {
  const path = join(root, "agent.json");
  const turn = {
    action: "DEVELOP",
    repeat: true,
    steps: [{ run: "true" }],
    answer: { message: "Done." },
  };
  writeFileSync(path, JSON.stringify({ turns: [turn] }));
  return path;
}

/** What exit codes say about the environment. */
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
    ["run of a new loop", ["run", ...task, "--auto", "--loop-id", "named"], [0, 4]],
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
