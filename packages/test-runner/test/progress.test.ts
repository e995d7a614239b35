/** @module-tag slow */
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProgress } from "@ccw-loop/core";
import { works } from "@ccw-loop/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { detect } from "../src/detect/detect.ts";
import { reportProgress } from "../src/progress.ts";
import { collector } from "../src/reports/collector.ts";
import { runPlan } from "../src/run-plan.ts";
import { parse } from "./parse.ts";
import { SETTINGS } from "./plan.ts";
import { project } from "./project.ts";

const settings = { ...SETTINGS, graceMs: 200 };

const JS = `import { test } from "node:test";
test("ends", () => {});
test("hangs", async () => { await new Promise((done) => setTimeout(done, 600_000)); });
`;
const PY = (base: string, self: string) => `import time, unittest

class Cart(${base}):
    def test_ends(${self}):
        pass

    def test_hangs(${self}):
        time.sleep(600)
`;
describe("a test that hangs is named", { timeout: 120_000 }, () => {
  test.each<[string, boolean, Record<string, string>, string, string, number]>([
    ["node --test", true, { "cart.test.mjs": JS }, "node --test", "cart.test.mjs > hangs", 6000],
    [
      "unittest",
      works("python3", "--version"),
      { "test_cart.py": PY("unittest.TestCase", "self") },
      "python3 -m unittest",
      "test_cart.Cart > test_hangs",
      6000,
    ],
    [
      "pytest",
      works("python3", "-m", "pytest", "--version"),
      { "test_cart.py": PY("unittest.TestCase", "self"), "check.sh": "python3 -m pytest\n" },
      "sh check.sh",
      "test_cart.py > Cart > test_hangs",
      10_000,
    ],
  ])("in %s", async (_, works, files, command, name, timeoutMs) => {
    if (!works) return;
    const cwd = await project(files);
    const plan = await detect(cwd, command);
    if (!plan) throw new TypeError("A command was given.");
    const { signal } = new AbortController();
    const { passed, reason } = await runPlan(plan, { cwd, signal, timeoutMs }, settings);
    expect(passed).toBe(false);
    expect(reason).toMatch(/^The tests were ended after \d+ s, their time limit/);
    expect(reason).toContain(`Running then: ${name}`);
  });
});

test("Go tells what runs", () => {
  const event = (Action: string, Test: string) =>
    `${JSON.stringify({ Action, Package: "a/cart", Test })}\n`;
  const lines = [event("run", "TestEnds"), event("pass", "TestEnds"), event("run", "TestHangs")];
  expect(parse("go-json", lines.join("")).running).toEqual(["a/cart > TestHangs"]);
});

test("how far a run is, is told while reporters write", async () => {
  const reports = await mkdtemp(join(tmpdir(), "ccw-loop-progress-"));
  onTestFinished(() => rm(reports, { recursive: true, force: true }));
  const into = collector();
  const told: TestProgress[] = [];
  let next: (() => void) | undefined;
  const about = { command: "npm test", cwd: "/shop", reports, printed: () => into.collected() };
  const progress = reportProgress(
    about,
    (one) => {
      told.push(one);
      next?.();
    },
    20,
  );
  onTestFinished(() => progress.stop());
  const toldNext = () => new Promise<void>((resolve) => (next = resolve));
  into.add({ suite: "", name: "printed", status: "failed" });
  await toldNext();
  expect(told.at(-1)).toMatchObject({ command: "npm test", done: 1, failed: 1, running: [] });
  const write = (line: object) =>
    appendFile(join(reports, "1.ndjson"), `${JSON.stringify(line)}\n`);
  const half = { name: "half", file: "/shop/test/a.js", parents: ["cart"] };
  await write({ begin: true, ...half });
  while (told.at(-1)?.running.length !== 1) await toldNext();
  expect(told.at(-1)).toMatchObject({ done: 0, running: ["test/a.js > cart > half"] });
  await write({ ...half, status: "passed", duration_ms: 1, stack: "" });
  while (told.at(-1)?.done !== 1) await toldNext();
  expect(told.at(-1)).toMatchObject({ failed: 0, running: [] });
});
