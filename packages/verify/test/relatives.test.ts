import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { endGroup } from "../src/process/end-group.ts";
import { relatives } from "../src/process/relatives.ts";

const WAIT = { timeout: 20_000, interval: 20 };
const marker = () => `CCW_LOOP_RELATIVES_TEST=${crypto.randomUUID()}`;

/** A shell in its own group, killed when the test is over. */
function group(
  script: string,
  env: NodeJS.ProcessEnv = process.env,
): { child: ChildProcess; pid: number } {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore", env });
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    for (const one of relatives(pid, "none").living()) process.kill(one, "SIGKILL");
  });
  return { child, pid };
}

/** The state letter of the processes whose parent is `pid`. */
function statesOfChildren(pid: number): string[] {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, "latin1");
      } catch {
        return "";
      }
    });
  return stats.flatMap((stat) => {
    const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(parent) === pid ? [state] : [];
  });
}

describe.skipIf(process.platform !== "linux")("relatives", { timeout: 60_000 }, () => {
  test("a zombie does not live", async () => {
    // The shell becomes a program that never collects its finished child.
    const { pid } = group("true & exec sleep 600");
    await vi.waitFor(() => expect(statesOfChildren(pid)).toEqual(["Z"]), WAIT);
    expect(relatives(pid, marker()).living()).toEqual([pid]);
  });

  test("a child in its own session and without our environment is found by its parent", async () => {
    const { pid } = group("setsid env -i sleep 600 & wait");
    const family = relatives(pid, marker());
    const living = await vi.waitFor(() => {
      const found = family.living();
      expect(found).toHaveLength(2);
      return found;
    }, WAIT);
    process.kill(pid, "SIGKILL");
    const [orphan] = living.filter((one) => one !== pid);
    await vi.waitFor(() => expect(family.living()).toEqual([orphan]), WAIT);
    expect(await endGroup(pid, family, 1000)).toEqual([]);
    expect(family.living()).toEqual([]);
  });

  test("nobody else belongs to a run", async () => {
    const { child, pid } = group("exit 0");
    await vi.waitFor(() => expect(child.exitCode).toBe(0), WAIT);
    expect(relatives(pid, marker()).living()).toEqual([]);
  });
});
