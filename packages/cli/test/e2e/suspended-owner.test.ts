/** @module-tag slow */
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processesRunning } from "@ccw-loop/testkit";
import { describe, expect, test, vi } from "vitest";
import {
  atCommand,
  ccwLoopInNamespace,
  HAS_NAMESPACES,
  isSuspended,
  type Lines,
  PATIENCE,
  shortLease,
  supervisorIn,
} from "../support/processes.ts";
import { executed, type Project, plan, project, stateOf, write } from "../support/project.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Short, and long enough for a process that has to wait for its turn on a busy machine. */
const TTL_MS = 6000;
/** Longer than any lease here lasts, and than it takes until somebody looks. */
const LEASE_OVER = { timeout: 60_000, interval: 50 };

/** An agent that works for ever: each of its runs writes a name of its own to `beats`, 20 times a second. */
const TAG = randomUUID();
const beating = {
  action: "DEVELOP",
  repeat: true,
  steps: [
    {
      run: `id=$(cat /proc/sys/kernel/random/uuid); while :; do echo "$id" >> beats; sleep 0.05; done # ${TAG}`,
    },
  ],
  answer: "Never.",
} satisfies Parameters<typeof project>[0];

/** The names of the runs in the order in which they wrote them. */
function beats({ dir }: Project): string[] {
  const file = join(dir, "beats");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Who was at work, one after the other; whoever worked while another one did is named again. */
function atWork(here: Project): string[] {
  return beats(here).filter((id, at, all) => id !== all[at - 1]);
}

/** Waits until `count` more names were written. */
async function worksOn(here: Project, count: number): Promise<void> {
  const before = beats(here).length;
  const written = () => beats(here).length - before;
  await vi.waitFor(() => expect(written()).toBeGreaterThanOrEqual(count), PATIENCE);
}

/** The newest lease of loop `a`, as it is on disk. */
function lease({ dir }: Project): { epoch: number; process: { namespace: string } } {
  const history = join(dir, ".workflow", ".loop", "a.history");
  const epochs = readdirSync(history).filter((name) => name.startsWith("epoch-"));
  const folder = join(history, epochs[0] ?? "");
  const [file = ""] = readdirSync(folder).filter((name) => name.startsWith("lease-"));
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}

/** A running loop `a` that nobody drives yet. */
async function started(...turns: Parameters<typeof project>): Promise<Project> {
  const here = await project(...turns);
  const { code, err } = await here.cli("start", "x", "--auto", ...here.flags, "--loop-id", "a");
  expect(code, err).toBe(0);
  return here;
}

const noticesOf = ({ records }: Lines) => records.map(({ record }) => record.type);
const pidOf = ({ child }: Lines) => child.pid ?? 0;

/** Drives with a short lease; who takes a loop over ends nothing, as if it could not see the other one's processes. */
const blind = ({ dir }: Project) => shortLease(dir, TTL_MS);
const inNamespace = ({ dir }: Project) => ccwLoopInNamespace(dir, "supervise", "--events");

describe.runIf(process.platform === "linux")("an owner that was suspended", () => {
  test.for([
    { where: "in one namespace", drive: blind, pid: pidOf, runs: true },
    { where: "in two", drive: inNamespace, pid: supervisorIn, runs: HAS_NAMESPACES },
  ])(
    "$where: its agent ends before that of the next owner begins, and it starts nothing when it wakes",
    async ({ drive, pid, runs, where }, { skip }) => {
      skip(!runs, "This machine lets nobody make a process namespace.");
      await using here = await started(plan, beating);
      const first = drive(here);
      await atCommand(first, ["a"]);
      await worksOn(here, 5);
      const before = lease(here);
      const suspended = pid(first);
      process.kill(suspended, "SIGSTOP");
      await vi.waitFor(() => expect(isSuspended(suspended)).toBe(true), PATIENCE);
      await worksOn(here, 5);

      const second = drive(here);
      await vi.waitFor(() => expect(noticesOf(second)).toContain("loop.taken"), LEASE_OVER);
      await atCommand(second, ["a"]);
      await worksOn(here, 40);
      const after = lease(here);
      expect(after.epoch).toBeGreaterThan(before.epoch);
      const isShared = after.process.namespace === before.process.namespace;
      expect(isShared).toBe(where === "in one namespace");
      expect(isSuspended(suspended)).toBe(true);
      expect(atWork(here)).toHaveLength(2);

      process.kill(suspended, "SIGCONT");
      await vi.waitFor(() => expect(noticesOf(first)).toContain("loop.lost"), PATIENCE);
      await worksOn(here, 40);
      expect(atWork(here)).toHaveLength(2);
      for (const lines of [first, second]) process.kill(pid(lines), "SIGTERM");
      expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
      expect(noticesOf(second)).not.toContain("loop.lost");
    },
  );

  test("repeats the action when it wakes, if nobody else has claimed the loop", async () => {
    const once = { ...beating, repeat: false, once: true };
    await using here = await started(plan, once, { ...write("42"), repeat: true });
    const owner = blind(here);
    await atCommand(owner, ["a"]);
    await worksOn(here, 5);
    owner.child.kill("SIGSTOP");
    await worksOn(here, 5);
    expect(processesRunning(TAG)).not.toEqual([]);
    await vi.waitFor(() => expect(processesRunning(TAG)).toEqual([]), LEASE_OVER);
    expect(isSuspended(pidOf(owner))).toBe(true);

    owner.child.kill("SIGCONT");
    await vi.waitFor(async () => {
      const { status, outcome } = await stateOf(here, "a");
      expect({ status, outcome }).toMatchObject({ status: "completed" });
    }, PATIENCE);
    const actions = executed(here, "a");
    expect(actions).toContain("DEVELOP cut off");
    // On a machine that is too busy to renew so short a lease, others are cut off and repeated as well.
    const done = actions.filter((action) => !action.endsWith("cut off"));
    expect(done).toEqual(["INIT", "DEVELOP", "VALIDATE", "COMPLETE"]);
    expect(noticesOf(owner)).not.toContain("loop.lost");
    owner.child.kill("SIGTERM");
    expect(await owner.ended).toBe(0);
  });
});
