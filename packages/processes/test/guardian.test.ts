import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startOf, thisProcess } from "../src/identity.ts";
import { commandLineOf, processes, runningProcesses } from "../src/index.ts";
import { ownerKey } from "../src/owner-tag.ts";
import { COMMANDS, killed, living, type Owner, owner, registryFolder } from "./owners.ts";

const LOOP = { loop: "demo", epoch: 1 };
const SOON = { timeout: 25_000, interval: 10 };

function guardianOf(pid: number): number | undefined {
  const key = ownerKey({ ...thisProcess(), pid, started: startOf(pid) });
  return runningProcesses().find((one) => commandLineOf(one).endsWith(` ccw-loop-guardian ${key}`))
    ?.pid;
}

describe.runIf(process.platform === "linux")("kill -9 of the owner", { timeout: 60_000 }, () => {
  test.each(Object.entries(COMMANDS))("%s: dies without anybody's help", async (_, kind) => {
    const other = await owner(registryFolder(), LOOP, kind);
    const guardian = guardianOf(other.child.pid ?? 0) ?? 0;
    expect(living([guardian])).toEqual([guardian]);
    await killed(other);
    await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
    await vi.waitFor(() => expect(living([guardian])).toEqual([]), SOON);
  });

  test("with a guardian that is suspended: the next one sweeps, and is told what there was", async () => {
    const folder = registryFolder();
    const other = await owner(folder, LOOP, COMMANDS["children that ignore TERM"]);
    const guardian = guardianOf(other.child.pid ?? 0) ?? 0;
    process.kill(guardian, "SIGSTOP");
    await killed(other);
    const registry = processes({ folder });
    expect(registry.leftovers()).toMatchObject([
      {
        scope: LOOP,
        reason: "owner_gone",
        owner_pid: other.child.pid,
        command: expect.stringContaining("sleep 3601"),
      },
    ]);
    expect(await registry.sweep()).toHaveLength(1);
    expect(living(other.family)).toEqual([]);
    expect(registry.leftovers()).toEqual([]);
    process.kill(guardian, "SIGKILL");
  });

  test("a guardian that was killed is replaced", async () => {
    const other = await owner(registryFolder(), LOOP);
    const pid = other.child.pid ?? 0;
    const first = guardianOf(pid) ?? 0;
    process.kill(first, "SIGKILL");
    // The first one may be seen for a moment after it was killed.
    await vi.waitFor(() => expect([0, first]).not.toContain(guardianOf(pid) ?? 0), SOON);
    await killed(other);
    await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
  });

  test("after the fifth guardian in a row that was killed, nothing is left and nothing is started", async () => {
    const other = await owner(registryFolder(), LOOP, COMMANDS["children in the background"]);
    const pid = other.child.pid ?? 0;
    const ended = new Set<number | undefined>();
    for (let count = 0; count < 5; count += 1) {
      const next = () => (ended.has(guardianOf(pid)) ? undefined : guardianOf(pid));
      const guardian = await vi.waitUntil(next, SOON);
      process.kill(guardian, "SIGKILL");
      ended.add(guardian);
    }
    await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
    other.child.kill("SIGUSR2");
    expect(await other.next()).toContain("was ended 5 times");
  });

  test("an owner that simply ends takes its groups along", async () => {
    const other = await owner(registryFolder(), LOOP, COMMANDS["children in the background"]);
    other.child.kill("SIGTERM");
    await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
  });
});

describe.runIf(process.platform === "linux")("a lease", { timeout: 60_000, tags: ["slow"] }, () => {
  const LEASE = { ttlMs: 2000 };

  test.each(Object.entries(COMMANDS))(
    "%s: is ended while its owner is suspended",
    async (_, kind) => {
      const other = await owner(registryFolder(), LOOP, kind, LEASE);
      await renewals(other, 6);
      expect(living(other.family)).toEqual(other.family);
      suspend(other);
      expect(living(other.family)).toEqual(other.family);
      await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
      expect(isSuspended(other)).toBe(true);
    },
  );

  test("a guardian that is killed while its owner is suspended ends them all the same", async () => {
    const kind = COMMANDS["a child in a session of its own"];
    const other = await owner(registryFolder(), LOOP, kind, LEASE);
    await renewals(other, 1);
    suspend(other);
    process.kill(guardianOf(other.child.pid ?? 0) ?? 0, "SIGKILL");
    await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
    expect(isSuspended(other)).toBe(true);
  });

  test("goes over to the guardian that replaces another one", async () => {
    const other = await owner(registryFolder(), LOOP, COMMANDS["a command"], LEASE);
    await renewals(other, 1);
    const pid = other.child.pid ?? 0;
    process.kill(guardianOf(pid) ?? 0, "SIGKILL");
    await vi.waitFor(() => expect(guardianOf(pid)).toBeGreaterThan(0), SOON);
    // For longer than the time that the first guardian knew of.
    await renewals(other, 6);
    expect(living(other.family)).toEqual(other.family);
    suspend(other);
    await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
  });

  test("leaves alone what works for others, and is over when it is given back", async () => {
    const registry = processes({ folder: registryFolder() });
    const [one, other] = [
      registry.processTree(LOOP),
      registry.processTree({ ...LOOP, loop: "demo-2" }),
    ];
    const endless = () => ["-c", "exec sleep 3601"];
    for (const family of [one, other]) family.spawn("/bin/sh", endless(), { stdio: "ignore" });
    onTestFinished(async () => {
      await Promise.all([one, other].map((family) => family.end({ graceMs: 0 })));
    });
    registry.keepAlive({ ...LOOP, loop: "demo-2" }, performance.now() + 50);
    registry.keepAlive({ ...LOOP, loop: "demo-2" }, null);
    expect(other.spawn("/bin/sh", endless(), { stdio: "ignore" }).pid).toBeGreaterThan(0);
    registry.keepAlive(LOOP, performance.now() - 1);
    expect(() => one.spawn("/bin/sh", endless(), { stdio: "ignore" })).toThrow(
      expect.objectContaining({ code: "fenced", message: expect.stringContaining("not renewed") }),
    );
    await vi.waitFor(() => expect(one.living()).toEqual([]), SOON);
    expect(other.living()).toHaveLength(2);
  });
});

/** Waits for so many renewals of its lease, from now on. */
async function renewals(other: Owner, count: number): Promise<void> {
  for (let seen = 0; seen < count; seen += 1) expect(await other.next()).toContain("renewed");
}

function suspend({ child }: Owner): void {
  child.kill("SIGSTOP");
}

function isSuspended({ child }: Owner): boolean {
  const stat = readFileSync(`/proc/${child.pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
}
