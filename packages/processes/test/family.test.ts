import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { processes } from "../src/index.ts";
import { COMMANDS, living } from "./owners.ts";

const LINUX = process.platform === "linux";

function newFamily() {
  const family = processes().processTree();
  onTestFinished(async () => {
    await family.end({ graceMs: 0 });
  });
  return family;
}

/** Starts what it is told, and afterwards says what it is told. */
const HOST = 'read -r line; eval "$line" & wait; read -r line; echo "$line"; read -r line';

const shell = (command: string) => ["-c", command];

describe.runIf(LINUX)("a family", () => {
  test.each(Object.entries(COMMANDS))("%s: ends with it", async (_, { command, count }) => {
    const family = newFamily();
    family.spawn("/bin/sh", shell(command), { stdio: "ignore" });
    const pids = await vi.waitFor(() => {
      const found = family.living();
      expect(found).toHaveLength(count);
      return found;
    });
    expect(await family.end({ graceMs: 30 })).toEqual([]);
    expect(living(pids)).toEqual([]);
  });

  test.each(Object.entries(COMMANDS))(
    "%s: ends while the one that started it lives on",
    async (_, { command, count }) => {
      const family = newFamily();
      // What it starts stays in its own group.
      const host = family.spawn("/bin/sh", shell(HOST), {
        stdio: "pipe",
      });
      const kept = await vi.waitFor(() => {
        const found = family.members();
        expect([...found.keys()]).toEqual([host.pid]);
        return found;
      });
      host.stdin.write(`${command.replaceAll("\n", " ")}\n`);
      const pids = await vi.waitFor(() => {
        const found = family.living().filter((pid) => pid !== host.pid);
        expect(found.length).toBeGreaterThanOrEqual(count);
        return found;
      });
      expect(await family.endOthers(kept, { graceMs: 0 })).toEqual([]);
      expect(living(pids)).toEqual([]);
      expect(family.living()).toEqual([host.pid]);
      // It still works.
      host.stdin.write("still here\n");
      const [said] = await once(host.stdout, "data");
      expect(`${said}`).toBe("still here\n");
    },
  );

  test("may clean up before it is killed", async () => {
    const family = newFamily();
    const command = "trap 'echo cleaned; exit 3' TERM; echo up; sleep 3601 & wait";
    const child = family.spawn("/bin/sh", shell(command), { stdio: "pipe" });
    await once(child.stdout, "data");
    const [said] = await Promise.all([once(child.stdout, "data"), family.end({ graceMs: 20_000 })]);
    expect(`${said}`).toBe("cleaned\n");
  });

  test("remembers whom it saw, also when nothing of us is left in it", async () => {
    const family = newFamily();
    const { command } = COMMANDS["a child without our environment"];
    const { pid = 0 } = family.spawn("/bin/sh", shell(command), { stdio: "ignore" });
    const seen = await vi.waitFor(() => {
      const found = family.living();
      expect(found).toHaveLength(2);
      return found;
    });
    process.kill(pid, "SIGKILL");
    const others = seen.filter((one) => one !== pid);
    await vi.waitFor(() => expect(family.living()).toEqual(others));
    expect(await family.end({ graceMs: 0 })).toEqual([]);
    expect(living(seen)).toEqual([]);
  });

  test("finds what only carries its mark, and nothing of another family", async () => {
    const [ours, others] = [newFamily(), newFamily()];
    const { name, value } = ours.environment;
    // As a program does that gives its own children another environment than it has itself.
    const outside = newFamily();
    const inner = `env ${name}='${value}' setsid sleep 3601 & wait`;
    outside.spawn("/bin/sh", shell(inner), { stdio: "ignore" });
    others.spawn("/bin/sh", shell("exec sleep 3601"), { stdio: "ignore" });
    await vi.waitFor(() => expect(ours.living()).toHaveLength(1));
    await ours.end({ graceMs: 0 });
    expect(ours.living()).toEqual([]);
    expect(others.living()).toHaveLength(1);
  });

  test("waits for what its starter is just about to start", async () => {
    const [ours, outside] = [newFamily(), newFamily()];
    const { name, value } = ours.environment;
    // Until it becomes the other program, the subshell looks like the shell: as every process does that was forked.
    const script = `(sleep 0.2; exec env ${name}='${value}' setsid sleep 3601) & wait`;
    const { pid = 0 } = outside.spawn("/bin/sh", shell(script), { stdio: "ignore" });
    ours.startedBy(pid);
    await vi.waitFor(() => expect(outside.living()).toHaveLength(3));
    expect(await ours.end({ graceMs: 0 })).toEqual([]);
    await vi.waitFor(() => expect(outside.living()).toEqual([]));
  });

  test("a zombie does not live", async () => {
    const family = newFamily();
    // The shell becomes a program that never collects its finished child.
    const { pid } = family.spawn("/bin/sh", shell("true & exec sleep 3601"), { stdio: "ignore" });
    await vi.waitFor(() => expect(family.living()).toEqual([pid]));
  });

  test("may be ended when nothing runs, and more than once", async () => {
    const family = newFamily();
    expect(await Promise.all([1, 2].map(() => family.end({ graceMs: 0 })))).toEqual([[], []]);
  });

  test("a program that is not there is an error of its child", async () => {
    const family = newFamily();
    const child = family.spawn("/no/such/program", [], { stdio: "ignore" });
    const [error] = await once(child, "error");
    expect(error).toMatchObject({ code: "ENOENT" });
    expect(await family.end({ graceMs: 0 })).toEqual([]);
  });
});
