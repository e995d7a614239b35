import { describe, expect, test, vi } from "vitest";
import { startOf, thisProcess } from "../src/identity.ts";
import { commandLineOf, processes, runningProcesses } from "../src/index.ts";
import { ownerKey } from "../src/mark.ts";
import { COMMANDS, killed, living, owner, registryFolder } from "./owners.ts";

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
    await vi.waitFor(() => expect(guardianOf(pid)).toBeGreaterThan(0), SOON);
    await killed(other);
    await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
  });

  test("an owner that simply ends takes its groups along", async () => {
    const other = await owner(registryFolder(), LOOP, COMMANDS["children in the background"]);
    other.child.kill("SIGTERM");
    await vi.waitFor(() => expect(living(other.family)).toEqual([]), SOON);
  });
});
