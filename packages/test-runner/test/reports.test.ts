import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runPlan } from "../src/run-plan.ts";
import { planOf, run, SETTINGS } from "./plan.ts";
import { project } from "./project.ts";

test("reads the coverage that the run wrote", async () => {
  const lcov = "SF:a.js\nDA:1,1\nDA:2,0\nDA:3,0\nDA:4,0\nLF:4\nLH:1\nend_of_record\n";
  const dir = await project({ "lcov.info": lcov, "a.js": "" });
  expect((await run(dir, "true")).coverage).toBeNull();
  expect((await run(dir, "mkdir coverage; cp lcov.info coverage/")).coverage).toBe(25);
});

test("hands out the output as it comes", async () => {
  const dir = await project({});
  const heard: string[] = [];
  const { signal } = new AbortController();
  await runPlan(
    planOf("echo out; echo err >&2"),
    {
      cwd: dir,
      signal,
      timeoutMs: 60_000,
      onOutput: (text) => heard.push(text),
    },
    SETTINGS,
  );
  expect(heard.join("").split("\n").sort()).toEqual(["", "err", "out"]);
});

test("a listener that throws ends in an error, not in a crash, and the run is cleaned up", async () => {
  const dir = await project({});
  const { signal } = new AbortController();
  const verifying = runPlan(
    planOf("echo out; echo more"),
    {
      cwd: dir,
      signal,
      timeoutMs: 60_000,
      onOutput: () => {
        throw new Error("no ears");
      },
    },
    SETTINGS,
  );
  await expect(verifying).rejects.toThrow("no ears");
});

test("leaves nothing in the temporary folder", async () => {
  const ours = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith("ccw-loop-verify-"));
  const dir = await project({});
  const result = await run(dir, 'echo "$CCW_LOOP_SCRIPT_REPORTS"', "script");
  const [folder] = /^.*ccw-loop-verify-[^/]+/m.exec(result.output_tail) ?? [];
  expect(folder).toBeDefined();
  expect((await ours()).map((name) => join(tmpdir(), name))).not.toContain(folder);
});
