/** @module-tag slow */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runPlan } from "../src/run-plan.ts";
import { planOf, SETTINGS } from "./plan.ts";
import { project } from "./project.ts";

const TIMEOUT_MS = 120_000;
const HEAP_MB = 40;

test.each([
  ["junit", 100],
  ["tap", 8],
  ["trx", 8],
  ["libtest", 5],
  ["go-json", 5],
  ["event-lines", 5],
])(
  "a %s report of %i MB fits into a heap of 40 MB",
  { timeout: TIMEOUT_MS },
  async (format, megabytes) => {
    const script = fileURLToPath(new URL("./huge-report.ts", import.meta.url));
    const heap = `--max-old-space-size=${HEAP_MB}`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      heap,
      script,
      format,
      `${megabytes}`,
    ]);
    const result = JSON.parse(stdout);
    expect(result.damage).toBeNull();
    expect(result.counted).toBe(result.tests);
    expect(result.written).toBeGreaterThan(megabytes * 1_000_000);
  },
);

test("a flood of output is drained and neither held nor waited for", {
  timeout: TIMEOUT_MS,
}, async () => {
  const flood = `
    const line = Buffer.from(("not ok " + "x".repeat(90) + "\\n").repeat(700));
    const until = Date.now() + 1000;
    let sent = 0;
    const pour = () => {
      while (Date.now() < until) {
        sent += line.length;
        if (!process.stdout.write(line)) return process.stdout.once("drain", pour);
      }
      process.stdout.write("poured " + sent + "\\n");
    };
    pour();
  `;
  const dir = await project({ "flood.mjs": flood });
  const before = process.memoryUsage().rss;
  let heard = 0;
  let highest = 0;
  let longest = 0;
  const { signal } = new AbortController();
  const result = await runPlan(
    planOf("node flood.mjs"),
    {
      cwd: dir,
      signal,
      timeoutMs: TIMEOUT_MS,
      onOutput: (text) => {
        heard += text.length;
        longest = Math.max(longest, text.length);
        highest = Math.max(highest, process.memoryUsage.rss());
      },
    },
    SETTINGS,
  );
  expect(result.passed).toBe(true);
  const poured = Number(/poured (\d+)/.exec(result.output_tail)?.[1]);
  expect(poured).toBeGreaterThan(4_000_000);
  expect(heard).toBeGreaterThan(poured);
  expect(longest).toBeLessThanOrEqual(64 * 1024);
  expect(result.output_tail.length).toBeLessThanOrEqual(64 * 1024);
  expect(highest - before).toBeLessThan(200 * 1024 * 1024);
});
