import { REPORTS_VARIABLE } from "./runner.ts";

/** The file that a process of mocha has begun, for itself or for the one that it starts. */
export const MOCHA_VARIABLE = "CCW_LOOP_MOCHA_REPORT";

/**
 * Extends mocha where it is loaded: one line for each test (`reports/event-lines.ts`), beside the one reporter that the
 * project names.
 */
export const MOCHA_REPORTER = String.raw`"use strict";
const { openSync } = require("node:fs");
const { extendCommonJs, linesTo } = require("./node-lines.cjs");

const MOCHA = /[\\/]mocha[\\/]lib[\\/]mocha\.c?js$/;

/** "begins" is called before the first run of mocha, and gives the report's file; null where nothing is asked. */
exports.extendMocha = (begins) => extendCommonJs(MOCHA, (Mocha) => {
  const { run } = Mocha.prototype;
  Mocha.prototype.run = function (...given) {
    const path = begins();
    const Reporter = this._reporter;
    if (path !== null) {
      this._reporter = function (runner, options) {
        record(runner, linesTo(openSync(path, "w")));
        return new Reporter(runner, options);
      };
    }
    return run.apply(this, given);
  };
  return Mocha;
});

function record(runner, lines) {
  const fileOf = (test) => test.file || (test.parent ? fileOf(test.parent) : "");
  // Versions before 6 have no "titlePath".
  const above = (test) => (test.parent ? above(test.parent) : []).concat(test.title || []);
  const placeOf = (test) => {
    const titles = test.titlePath ? test.titlePath() : above(test);
    return { name: titles[titles.length - 1] || "", file: fileOf(test) || "", parents: titles.slice(0, -1) };
  };
  const add = (test, status, error) => {
    const stack = error === undefined ? "" : (error && error.stack) || error;
    const message = error === undefined ? undefined : (error && error.message) || stack;
    lines.add({ ...placeOf(test), status, took: test.duration || 0, stack, message });
  };
  runner.on("test", (test) => lines.begin(placeOf(test)));
  runner.on("pass", (test) => add(test, "passed"));
  runner.on("pending", (test) => add(test, "skipped"));
  runner.on("fail", (test, error) => add(test, "failed", error));
  runner.once("end", lines.end);
}
`;

/**
 * Stands in NODE_OPTIONS: where ava itself is started, it writes one line for each test into the named folder
 * (`reports/event-lines.ts`). ava takes one reporter and none of ours, so its module through which every event goes is
 * extended while it is loaded; what ava prints stays as it is. Its processes for test files do nothing here.
 */
export const AVA_REPORTER = String.raw`"use strict";
const { extendText, openLines } = require("./node-lines.cjs");

const folder = process.env.${REPORTS_VARIABLE};
const isAva = /[\\/]ava([\\/](entrypoints[\\/])?cli\.[cm]?js)?$/.test(process.argv[1] || "");
if (folder && isAva) {
  delete process.env.${REPORTS_VARIABLE};
  const lines = openLines(folder);
  const test = (event, status, error) => {
    const stack = (error && (error.stack || error.formattedError)) || "";
    const message = error === undefined ? undefined : (error && error.message) || stack;
    const line = { name: event.title || "(file)", file: event.testFile || "", status, stack, message };
    lines.add({ ...line, took: event.duration || 0 });
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
    end: lines.end,
  };
  globalThis.ccwLoopAva = (event) => Object.hasOwn(about, event.type) && about[event.type](event);
  const more = "\n;if (typeof RunStatus === 'function') { const { emitStateChange } = RunStatus.prototype;"
    + " RunStatus.prototype.emitStateChange = function (event) { globalThis.ccwLoopAva(event); return emitStateChange.call(this, event); }; }\n";
  extendText(/[\\/]ava[\\/]lib[\\/]run-status\.js$/, more);
}
`;
