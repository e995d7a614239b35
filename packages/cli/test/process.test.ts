import { spawn } from "node:child_process";
import { once } from "node:events";
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
