import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AHEAD_MS, JAVASCRIPT_CLOCK, PYTHON_CLOCK } from "../src/replay/clock.ts";

/** What a program prints that reads a clock before and behind its advance, as milliseconds between them. */
function advance(name: string, clock: string, program: (file: string) => string[]) {
  const folder = mkdtempSync(join(tmpdir(), "ccw-loop-clock-"));
  try {
    writeFileSync(join(folder, name), clock);
    const [command = "", ...args] = program(join(folder, name));
    return Number(execFileSync(command, args, { encoding: "utf8", cwd: folder }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NEAR = 60_000;
const DAY = 24 * 60 * 60 * 1000;

test.each([
  ["Date.now()", NEAR],
  ["new Date().getTime()", NEAR],
  ["Date.parse(Date())", NEAR],
  ["performance.now()", NEAR],
  ["process.uptime() * 1000", NEAR],
  ["process.hrtime()[0] * 1000", NEAR],
  ["Number(process.hrtime.bigint() / 1000000n)", NEAR],
  ['Date.parse(new Intl.DateTimeFormat("en").format())', DAY],
  [
    'new Intl.DateTimeFormat("en", { year: "numeric", month: "numeric" }).formatToParts().reduce((months, { type, value }) => months + ({ year: 12, month: 1 }[type] ?? 0) * (Number(value) || 0), 0) * 30.44 * 864e5',
    40 * DAY,
  ],
])("the clock of JavaScript is put forward: %s", (clock, within) => {
  const passed = advance("clock.cjs", JAVASCRIPT_CLOCK, (file) => [
    ...["node", "-e"],
    `const { advance } = require(${JSON.stringify(file)}); const read = () => ${clock}; const before = read(); advance(${AHEAD_MS}); console.log(read() - before);`,
  ]);
  expect(Math.abs(passed - AHEAD_MS)).toBeLessThan(within);
});

test("a clock that a program sets stays as it set it", () => {
  const read = advance("clock.cjs", JAVASCRIPT_CLOCK, (file) => [
    ...["node", "-e"],
    `const { advance } = require(${JSON.stringify(file)}); advance(${AHEAD_MS}); Date.now = () => 42; console.log(Date.now());`,
  ]);
  expect(read).toBe(42);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;
test
  .runIf(hasPython)
  .each([
    "time.time()",
    "time.time_ns() / 1e9",
    "time.monotonic()",
    "time.clock_gettime(time.CLOCK_REALTIME)",
    "time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1e9",
    "time.mktime(time.localtime())",
    "datetime.datetime.now().timestamp()",
    "datetime.datetime.today().timestamp()",
  ])("the clock of Python is put forward: %s", (clock) => {
  const passed = advance("clock.py", PYTHON_CLOCK, () => [
    ...["python3", "-c"],
    `import clock, datetime, time\nread = lambda: ${clock}\nbefore = read()\nclock.advance(${AHEAD_MS})\nprint((read() - before) * 1000)`,
  ]);
  expect(Math.abs(passed - AHEAD_MS)).toBeLessThan(NEAR);
});
