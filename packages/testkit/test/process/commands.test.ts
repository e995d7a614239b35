import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processes } from "@ccw-loop/processes";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Commands, commands, isAlive, processesRunning } from "../../src/process/commands.ts";
import { emptyFolder } from "../agent/conversations.ts";

const cwd = tmpdir();
let next = 930_000_000 + process.pid * 10;
const longSleep = () => `sleep ${next++}`;

function newScope(options?: { graceMs: number }): Commands {
  const scope = commands(processes().processTree(), options);
  onTestFinished(() => scope.end());
  return scope;
}

/** Starts the command and waits until it says something. */
async function begun(scope: Commands, command: string) {
  let exit: Promise<number | null> | undefined;
  await new Promise<void>((resolve) => {
    exit = scope.run(command, cwd, () => resolve());
  });
  return { exit };
}

describe("run", () => {
  it("answers the exit code after all output was told", async () => {
    let output = "";
    const command = `node -e 'process.stdout.write("é".repeat(300000)); process.exitCode = 7'`;
    const code = await newScope().run(command, cwd, (text) => {
      output += text;
    });
    expect(code).toBe(7);
    expect(output).toBe("é".repeat(300_000));
  });

  it("does not wait for a child that keeps the output open", async () => {
    const sleep = longSleep();
    expect(await newScope().run(`${sleep} & exit 4`, cwd, () => undefined)).toBe(4);
    expect(processesRunning(sleep)).not.toEqual([]);
  });

  it("fails with agent_failed where no command can be started", async () => {
    const run = newScope().run("true", join(cwd, "no such folder"), () => undefined);
    await expect(run).rejects.toMatchObject({ code: "agent_failed" });
  });

  it("hands a flood on without keeping it", async () => {
    const before = process.memoryUsage.rss();
    let [heard, highest] = [0, 0];
    const pour = "head -c 100000000 /dev/zero & head -c 100000000 /dev/zero >&2; wait";
    const code = await newScope().run(pour, cwd, (text) => {
      heard += text.length;
      highest = Math.max(highest, process.memoryUsage.rss());
    });
    expect([code, heard]).toEqual([0, 200_000_000]);
    expect(highest - before).toBeLessThan(150_000_000);
  });

  it("gives no terminal and no input to wait for", async () => {
    expect(await newScope().run("cat", cwd, () => undefined)).toBe(0);
  });
});

it("does not let a nested test run report to the one it runs in", async () => {
  vi.stubEnv("NODE_TEST_CONTEXT", "child-v8");
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  let output = "";
  await newScope().run("echo [$NODE_TEST_CONTEXT]", cwd, (text) => {
    output += text;
  });
  expect(output).toBe("[]\n");
});

describe("end", () => {
  it("asks first: a command may clean up", async () => {
    const folder = await emptyFolder();
    const scope = newScope({ graceMs: 20_000 });
    const command = `trap 'echo cleaned > ${folder}/note; exit 0' TERM; echo up; ${longSleep()} & wait`;
    await begun(scope, command);
    await scope.end();
    expect(await readFile(join(folder, "note"), "utf8")).toBe("cleaned\n");
  });

  it("kills what does not listen, in its whole group and beyond", async () => {
    const sleep = longSleep();
    const scope = newScope();
    await scope.runInBackground(`trap '' TERM; ${sleep}; ${sleep}`, cwd, { orphan: true });
    const { exit } = await begun(scope, `trap '' TERM; ${sleep} & echo up; wait; ${sleep}`);
    expect(processesRunning(sleep).length).toBeGreaterThanOrEqual(3);
    await scope.end();
    expect(processesRunning(sleep)).toEqual([]);
    expect(await exit).toBeNull();
  });

  it("ends a command that cleared its environment, as long as its shell lives", async () => {
    const sleep = longSleep();
    const scope = newScope();
    await begun(scope, `env -i ${sleep} & echo up; wait`);
    await scope.end();
    expect(processesRunning(sleep)).toEqual([]);
  });

  it("ends its own, and nothing else", async () => {
    const [mine, other] = [longSleep(), longSleep()];
    const scope = newScope();
    await scope.runInBackground(mine, cwd, { orphan: false });
    await newScope().runInBackground(other, cwd, { orphan: false });
    await scope.end();
    expect(processesRunning(mine)).toEqual([]);
    expect(processesRunning(other)).not.toEqual([]);
  });

  it("may be called when nothing runs, and again", async () => {
    const scope = newScope();
    await scope.end();
    await Promise.all([scope.end(), scope.end()]);
  });
});

describe("isAlive", () => {
  it("knows the living from the dead", async () => {
    let pid = 0;
    await newScope().run("echo $$", cwd, (text) => {
      pid = Number(text);
    });
    expect(isAlive(process.pid)).toBe(true);
    expect(pid).toBeGreaterThan(0);
    expect(isAlive(pid)).toBe(false);
  });
});
