/** @module-tag slow */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { BUILT, SOURCE_BIN } from "./support/bin.ts";
import { documentIn } from "./support/documents.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A folder for one test, with everything that a process of it writes anywhere. */
async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), "ccw-demo-test-"));
  return {
    folder,
    run: (launcher: string, ...args: string[]) => {
      const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
      return promisify(execFile)(process.execPath, [launcher, ...args], { env, cwd: folder });
    },
    /** Types each command in a shell; `doctor` may truthfully say that this machine lacks a login. */
    type: async (commands: readonly string[]) => {
      const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
      for (const command of commands) {
        const line = command.endsWith(" doctor") ? `${command}; test $? = 0 -o $? = 5` : command;
        const { stdout } = await promisify(execFile)("sh", ["-c", line], { env, cwd: folder });
        expect(stdout, command).not.toBe("");
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

test.concurrent("the demo shows a whole loop, and says what is real in it", async () => {
  await using place = await temporary();
  const { stdout, stderr } = await place.run(SOURCE_BIN, "demo");
  expect(stderr).toContain("The agent is SCRIPTED");
  const order = [
    /INIT started/,
    /DEVELOP started/,
    /VALIDATE failed: .*npm test/,
    /DEBUG started/,
    /VALIDATE passed: .*npm test/,
    /COMPLETE started/,
  ];
  const places = order.map((fact) => stderr.search(fact));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(stdout).toMatch(/^Completed and proven: Fix the shopping cart\n/);
  for (const part of [
    "5 passed, 0 failed",
    "receipt ",
    "src/cart.js",
    "demo.json",
    "demo.progress/summary.md",
    "codex login",
  ]) {
    expect(stdout).toContain(part);
  }
  expect(commandsIn(stdout)).toEqual([
    expect.stringMatching(/^git -C \S+ diff$/),
    expect.stringMatching(/^node \S+x\.mjs cli --cwd \S+ show demo --receipt$/),
    expect.stringMatching(/^node \S+x\.mjs cli doctor$/),
  ]);
  await place.type(commandsIn(stdout));
});

/** What the demo says to do next, without the agent that it did not need. */
function commandsIn(stdout: string): string[] {
  const commands = stdout.match(/(?<=^ +|^ {2}Next +)(git|node) .*$/gm) ?? [];
  return commands.filter((command) => !command.includes(" run --auto "));
}

test.concurrent("the built command line does the same without any other package", {}, async () => {
  await using place = await temporary();
  await cp(BUILT, join(place.folder, "node_modules/@ccw-loop/cli"), { recursive: true });
  const bin = join(place.folder, "node_modules/.bin/ccw-loop");
  await mkdir(dirname(bin));
  await symlink("../@ccw-loop/cli/bin/ccw-loop.js", bin);
  const { stdout } = await place.run(bin, "demo", "--json");
  const data = documentIn("demo", stdout);
  expect(data).toMatchObject({
    status: "completed",
    receipt: { passed: true, counts: { total: 5, passed: 5 } },
  });
  expect(data.files_changed).toEqual(["src/cart.js"]);
  expect(data.loop_files).toContain("demo.journal.jsonl");
  expect((await stat(data.project)).isDirectory()).toBe(true);
  const npx = `npx ccw-loop --cwd ${data.project}`;
  expect(data.next).toEqual([`${npx} show demo --receipt`, `${npx} logs demo`]);
  await place.type(data.next);
});
