import { processesRunning } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { probe } from "../src/process/run-command.ts";
import { SETTINGS } from "./plan.ts";
import { project } from "./project.ts";

const { signal } = new AbortController();

test.each([
  ["hangs without a word", "sleep 3611"],
  ["closes its pipes and goes on", "exec > /dev/null 2>&1; exec sleep 3611"],
  ["closes them altogether", "exec >&- 2>&-; sleep 3611; sleep 3611"],
  ["ignores TERM, as its children do", "trap '' TERM; sleep 3611 & setsid sleep 3611 & wait"],
])("a command that %s is ended at its time limit", async (_, command) => {
  const cwd = await project({});
  const settings = { ...SETTINGS, graceMs: 100 };
  const run = await probe(command, { cwd, signal, timeoutMs: 400 }, settings);
  expect(run).toMatchObject({ timed_out: true, exit_code: null, output: "" });
  expect(processesRunning("sleep 3611")).toEqual([]);
});

test("a flood on both pipes is drained as fast as it comes, and its end is kept", async () => {
  const cwd = await project({});
  const before = process.memoryUsage.rss();
  let highest = 0;
  const looking = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 20);
  // Whichever pipe is read last ends with the word.
  const pour =
    "head -c 150000000 /dev/zero & head -c 150000000 /dev/zero >&2; wait; echo poured; echo poured >&2";
  const run = await probe(pour, { cwd, signal, timeoutMs: 60_000 }, SETTINGS);
  clearInterval(looking);
  expect(run).toMatchObject({ timed_out: false, exit_code: 0 });
  expect(run.output.trimEnd().endsWith("poured")).toBe(true);
  expect(highest).toBeGreaterThan(0);
  expect(highest - before).toBeLessThan(150_000_000);
});
