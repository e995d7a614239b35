import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { BIN } from "./support/bin.ts";
import { HANGING, hang, plan, repository, write } from "./support/project.ts";

const PATIENCE = { timeout: 20_000 };

test("SIGINT to the process pauses its loop and ends it with 130", async () => {
  await using here = await repository(plan, hang, write("42"));
  const args = ["run", "--auto", ...here.flags, "--loop-id", "a", "--create", "x"];
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: here.dir,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  await vi.waitFor(() => expect(err).toContain(HANGING), PATIENCE);
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([130, null]);
  expect((await here.cli("show", "a")).out).toMatch(/Status +paused/);
});

test("a reader that leaves early is no error", async () => {
  await using here = await repository(plan, write("42"));
  const args = ["run", "--auto", "--events", ...here.flags, "x"];
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: here.dir,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  expect(await once(child, "exit"), err).toEqual([0, null]);
  expect((await here.cli("list")).out).toContain("completed");
});

const UNUSABLE: [string, Record<string, string>, string | RegExp][] = [
  ["cannot be found", { CODEX_BIN: "/nowhere/codex" }, "CODEX_BIN names /nowhere/codex"],
  // The real Codex, a development dependency.
  ["is not logged in", {}, /Codex is not logged in\. Log in with "\S*codex login", or set the key/],
];

test.each(UNUSABLE.slice(0, process.env.CCW_LOOP_NO_CODEX === "1" ? 1 : 2))(
  "an agent that %s is told before a loop is made",
  async (_, own, said) => {
    await using here = await repository(plan);
    const env = {
      PATH: process.env.PATH,
      HOME: here.dir,
      CODEX_HOME: join(here.dir, ".git"),
      ...own,
    };
    const args = [BIN, "run", "--auto", "--verify", "true", "x"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      ...{ cwd: here.dir, env, encoding: "utf8" },
    });
    expect([status, stdout]).toEqual([5, ""]);
    expect(stderr).toMatch(said);
    expect(stderr).toMatch(/^See what is missing with: \S*node \S+ccw-loop\.js doctor$/m);
    expect(readdirSync(join(here.dir, ".workflow", ".loop"))).not.toContainEqual(
      expect.stringMatching(/\.json$/),
    );
  },
);
