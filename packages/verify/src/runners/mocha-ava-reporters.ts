/** The file that a process before it has begun. */
export const MOCHA_VARIABLE = "CCW_LOOP_MOCHA_REPORT";

/**
 * A reporter for mocha, as a CommonJS file, which writes lines (`reports/event-lines.ts`). It prints
 * about what mocha's own reporter does, for only one reporter can be named.
 */
export const MOCHA_REPORTER = String.raw`"use strict";
const { closeSync, openSync, writeSync } = require("node:fs");

module.exports = function CcwLoopReporter(runner) {
  const file = openSync(process.env.${MOCHA_VARIABLE}, "w");
  delete process.env.${MOCHA_VARIABLE};
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

export const AVA_VARIABLE = "CCW_LOOP_AVA_REPORTS";

/**
 * Stands in NODE_OPTIONS: where ava itself is started, it writes one line for each test into the named folder
 * (`reports/event-lines.ts`). ava takes one reporter and none of ours, so its module through which every event goes is
 * extended while it is loaded; what ava prints stays as it is. Its processes for test files do nothing here.
 */
export const AVA_REPORTER = String.raw`"use strict";
const { closeSync, openSync, writeSync } = require("node:fs");
const { join } = require("node:path");

const folder = process.env.${AVA_VARIABLE};
const isAva = /[\\/]ava([\\/](entrypoints[\\/])?cli\.[cm]?js)?$/.test(process.argv[1] || "");
if (folder && isAva) {
  delete process.env.${AVA_VARIABLE};
  const file = openSync(join(folder, process.pid + ".ndjson"), "wx");
  const write = (line) => writeSync(file, JSON.stringify(line) + "\n");
  const test = (event, status, error) => {
    const stack = String((error && (error.stack || error.formattedError)) || "").slice(0, 8192);
    const message = String((error && error.message) || stack).slice(0, 8192);
    write({
      name: String(event.title || "(file)").slice(0, 2000),
      file: event.testFile || "",
      parents: [],
      status,
      duration_ms: event.duration || 0,
      stack,
      ...(error === undefined ? {} : { message }),
    });
  };
  const failure = (event, text) => test(event, "failed", { message: text, ...event.err });
  const about = {
    "test-passed": (event) => test(event, "passed"),
    "test-failed": (event) => test(event, "failed", event.err),
    "hook-failed": (event) => test(event, "failed", event.err),
    "selected-test": (event) => (event.skip || event.todo) && test(event, "skipped"),
    "uncaught-exception": (event) => failure(event, "An exception was not caught."),
    "unhandled-rejection": (event) => failure(event, "A rejection was not handled."),
    "worker-failed": (event) => failure(event, "The process of the test file failed."),
    "missing-ava-import": (event) => failure(event, "The file does not import ava."),
    "internal-error": (event) => failure(event, "ava failed."),
    end() {
      write({ end: true });
      closeSync(file);
    },
  };
  globalThis.ccwLoopAva = (event) => Object.hasOwn(about, event.type) && about[event.type](event);
  const more = "\n;if (typeof RunStatus === 'function') { const { emitStateChange } = RunStatus.prototype;"
    + " RunStatus.prototype.emitStateChange = function (event) { globalThis.ccwLoopAva(event); return emitStateChange.call(this, event); }; }\n";
  const hooks = "export async function load(url, context, next) { const loaded = await next(url, context);"
    + " return loaded.source && /\\/ava\\/lib\\/run-status\\.js$/.test(url) ? { ...loaded, source: String(loaded.source) + " + JSON.stringify(more) + " } : loaded; }";
  require("node:module").register("data:text/javascript," + encodeURIComponent(hooks));
}
`;
