import { pathToFileURL } from "node:url";
import { REPORTS_VARIABLE } from "./runner.ts";

/** Where it is certain that a process runs tests; else whoever begins a run in it takes the variable of all runners. */
export const NODE_VARIABLE = "CCW_LOOP_NODE_REPORTS";

/** The words of NODE_OPTIONS that ask for our report beside what Node prints. */
export function nodeReporterOptions(reports: string): string {
  const reporter = pathToFileURL(`${reports}/node-reporter.cjs`).href;
  return [
    "--test-reporter=spec --test-reporter-destination=stdout",
    `--test-reporter=${reporter} --test-reporter-destination=stderr`,
  ].join(" ");
}

/**
 * Runs inside the project's own `node --test`, which is told to load it by NODE_OPTIONS: writes one line per
 * test to a file of its own (`reports/event-lines.ts`). It yields nothing, so the project's output stays as it is. Several
 * processes (a script that tests folder by folder) write several files; a run that a *test* starts writes none.
 */
export const NODE_REPORTER = `"use strict";
const { resolve } = require("node:path");
const { inspect } = require("node:util");
const { openLines } = require("./node-lines.cjs");

// While the module loads: the processes of the test files have not been started yet.
const folder = process.env.${NODE_VARIABLE} || process.env.${REPORTS_VARIABLE};
delete process.env.${NODE_VARIABLE};
delete process.env.${REPORTS_VARIABLE};

module.exports = async function* report(source) {
  if (!folder) {
    for await (const _ of source);
    return;
  }
  const lines = openLines(folder);
  const names = [];
  // Tests begin in another order than they are reported.
  const begun = [];
  const titled = ({ name = "", nesting = 0, file = "" }, around) => ({
    // What Node says of a file that could not be loaded, or ended badly: it is called like its test.
    name: nesting === 0 && file !== "" && resolve(name) === file ? "(file)" : name,
    file,
    parents: around.slice(0, nesting),
  });
  for await (const { type, data } of source) {
    if (data === undefined) continue;
    const nesting = data.nesting ?? 0;
    if (type === "test:start") names[nesting] = data.name ?? "";
    if (type === "test:dequeue") {
      begun[nesting] = data.name ?? "";
      if (data.type !== "suite") lines.begin(titled(data, begun));
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { type: kind, error, duration_ms: took } = data.details ?? {};
    // A suite is no test, unless it fails by itself: a hook, or its own body.
    const failsItself = type === "test:fail" && error?.failureType !== "subtestsFailed";
    if (kind === "suite" && !failsItself) continue;
    const status = isSet(data.skip) || isSet(data.todo) ? "skipped" : type === "test:pass" ? "passed" : "failed";
    lines.add({ ...titled(data, names), status, took, stack: stackOf(error) });
  }
  lines.end();
};

function isSet(value) {
  return value !== undefined && value !== false;
}

/** Node wraps what a test threw; the cause is what people want to read. */
function stackOf(error) {
  if (error === undefined) return "";
  const { cause } = error;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  if (typeof cause === "object" && cause !== null && "stack" in cause) return String(cause.stack);
  return cause === undefined ? error.message : typeof cause === "string" ? cause : inspect(cause);
}
`;

/** Before Node 22.15 hooks are modules of another thread; CommonJS asks none. */
const THREAD_HOOKS = `import { fileURLToPath } from "node:url";
let pattern, more;
export const initialize = (data) => { pattern = new RegExp(data.pattern); more = data.more; };
export const load = async (url, context, next) => {
  const loaded = await next(url, context);
  const isExtended = loaded.format === "module" && url.startsWith("file:") && pattern.test(fileURLToPath(url));
  // The thread of hooks loads what NODE_OPTIONS names as well, which adds a second hook.
  const text = isExtended ? String(loaded.source) : more;
  return text.endsWith(more) ? loaded : { ...loaded, source: text + more };
};
`;

/**
 * What our reporters inside Node share, as a CommonJS file beside them: one file of lines (`reports/event-lines.ts`), the
 * test file that calls a runner which does not know it, and how a runner is extended while it is loaded.
 */
export const NODE_LINES = String.raw`"use strict";
const { closeSync, openSync, readFileSync, writeSync } = require("node:fs");
const Module = require("node:module");
const { join } = require("node:path");
const { fileURLToPath } = require("node:url");

let files = 0;
const cut = (text, length) => String(text).slice(0, length);

/** A file without its end line is a run that was cut off: it is opened before the first test. */
exports.openLines = (folder) => {
  files += 1;
  return linesTo(openSync(join(folder, process.pid + "-" + files + ".ndjson"), "wx"));
};

exports.linesTo = linesTo;
function linesTo(file) {
  const write = (line) => writeSync(file, JSON.stringify(line) + "\n");
  const place = ({ name, file, parents = [] }) => ({
    name: cut(name, 2000),
    file: cut(file, 2000),
    parents: parents.map((one) => cut(one, 1000)).slice(-20),
  });
  return {
    begin: (test) => write({ begin: true, ...place(test) }),
    add({ status, took = 0, message, stack = "", ...test }) {
      write({
        ...place(test),
        status,
        duration_ms: took,
        stack: cut(stack, 8192),
        ...(message === undefined ? {} : { message: cut(message, 8192) }),
      });
    },
    end() {
      write({ end: true });
      closeSync(file);
    },
  };
}

/** The nearest file on the stack that is no package's and none of ours; else the program of this process. */
exports.callingFile = () => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const lines = String(new Error().stack).split("\n").slice(1);
  Error.stackTraceLimit = limit;
  for (const line of lines) {
    const place = /(?:\(|at (?:async )?)((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).*?)(?:\?[^:)]*)?:\d+:\d+\)?$/.exec(line);
    if (!place || place[1].startsWith(__dirname) || /[\\/]node_modules[\\/]/.test(place[1])) continue;
    return place[1].startsWith("file:") ? fileURLToPath(place[1]) : place[1];
  }
  return process.argv[1] || "";
};

/** A CommonJS module that exports a function: "change" gives what is exported instead. */
exports.extendCommonJs = (pattern, change) => {
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (content, filename, ...more) {
    const compiled = _compile.call(this, content, filename, ...more);
    if (pattern.test(filename) && typeof this.exports === "function") this.exports = change(this.exports);
    return compiled;
  };
};

/** A module of either kind, by text behind its own. */
exports.extendText = (pattern, more) => {
  if (Module.registerHooks) {
    Module.registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        const file = url.startsWith("file:") ? fileURLToPath(url) : url;
        return pattern.test(file) ? { ...loaded, source: String(loaded.source ?? readFileSync(file)) + more } : loaded;
      },
    });
    return;
  }
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (content, filename, ...rest) {
    return _compile.call(this, pattern.test(filename) ? content + more : content, filename, ...rest);
  };
  const data = { pattern: pattern.source, more };
  Module.register?.("data:text/javascript," + encodeURIComponent(${JSON.stringify(THREAD_HOOKS)}), { data });
};
`;
