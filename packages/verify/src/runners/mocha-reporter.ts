/** The file that a process before it has begun; else it makes one. */
export const MOCHA_VARIABLE = "CCW_LOOP_MOCHA_REPORT";

/**
 * A reporter for mocha, as a CommonJS file beside which it writes its lines (`reports/event-lines.ts`). It prints
 * about what mocha's own reporter does, for only one reporter can be named.
 */
export const MOCHA_REPORTER = String.raw`"use strict";
const { closeSync, openSync, writeSync } = require("node:fs");
const { join } = require("node:path");

module.exports = function CcwLoopReporter(runner) {
  const begun = process.env.${MOCHA_VARIABLE};
  delete process.env.${MOCHA_VARIABLE};
  const file = begun ? openSync(begun, "w") : openSync(join(__dirname, process.pid + ".ndjson"), "wx");
  const write = (line) => writeSync(file, JSON.stringify(line) + "\n");
  const counts = { passed: 0, skipped: 0 };
  const failures = [];
  const fileOf = (test) => test.file || (test.parent ? fileOf(test.parent) : "");
  const cut = (text, length) => String(text).slice(0, length);
  const titlesOf = (test) => test.titlePath().map((title) => cut(title, 1000));
  const placeOf = (test, titles) => ({
    name: titles[titles.length - 1] || "",
    file: fileOf(test) || "",
    parents: titles.slice(0, -1).slice(-20),
  });
  const add = (test, status, error) => {
    const titles = titlesOf(test);
    const stack = error === undefined ? "" : cut((error && error.stack) || error, 8192);
    const message = cut((error && error.message) || stack, 8192);
    write({
      ...placeOf(test, titles),
      status,
      duration_ms: test.duration || 0,
      stack,
      ...(error === undefined ? {} : { message }),
    });
    const title = titles.join(" ");
    if (status === "failed") failures.push([title, stack]);
    else counts[status] += 1;
    const mark = { passed: "✓", skipped: "-", failed: failures.length + ")" }[status];
    console.log("  %s %s", mark, title);
  };
  runner.on("test", (test) => write({ begin: true, ...placeOf(test, titlesOf(test)) }));
  runner.on("pass", (test) => add(test, "passed"));
  runner.on("pending", (test) => add(test, "skipped"));
  runner.on("fail", (test, error) => add(test, "failed", error));
  runner.once("end", () => {
    write({ end: true });
    closeSync(file);
    console.log("\n  %d passing, %d pending, %d failing", counts.passed, counts.skipped, failures.length);
    failures.forEach(([title, stack], index) => {
      console.log("\n  %d) %s:\n     %s", index + 1, title, stack.replace(/\n/g, "\n     "));
    });
  });
};
`;
