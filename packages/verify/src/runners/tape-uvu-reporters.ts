/**
 * Extends tape where it is loaded, by any version since 2: one line for each test, not for each assertion. What the
 * tests print among its TAP is not read then.
 */
export const TAPE_REPORTER = String.raw`"use strict";
const Module = require("node:module");
const { inspect } = require("node:util");
const { callingFile, openLines } = require("./node-lines.cjs");

const RESULTS = /[\\/]tape[\\/]lib[\\/]results\.js$/;

/** "begins" is called when tape is loaded, and gives the folder; null where nothing is asked. */
exports.extendTape = (begins) => {
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (content, filename, ...more) {
    const compiled = _compile.call(this, content, filename, ...more);
    if (RESULTS.test(filename) && typeof this.exports === "function") extend(this.exports, begins());
    return compiled;
  };
};

function extend(Results, folder) {
  // Tape's own output is read of versions before 2.
  if (folder === null || typeof Results.prototype._watch !== "function") return;
  // Opened while nothing is known of the tests: a process that ends before them is cut off.
  let lines = openLines(folder);
  const open = new Set();
  const { _watch, close } = Results.prototype;

  Results.prototype._watch = function (test) {
    lines = lines || openLines(folder);
    open.add(this);
    const records = (this.ccwLoopRecords = this.ccwLoopRecords || new Map());
    const parent = records.get(test.ccwLoopParent);
    const record = {
      name: test.name,
      file: parent ? parent.file : callingFile(),
      parents: parent ? [...parent.parents, parent.name] : [],
      results: [],
      began: 0,
      isOver: false,
    };
    records.set(test, record);
    test.once("prerun", () => (record.began = Date.now()));
    test.on("test", (inner) => {
      inner.ccwLoopParent = test;
      record.hasInner = true;
    });
    test.on("result", (result) => {
      if (typeof result !== "object") return;
      if (!record.isOver) record.results.push(brief(result));
      // It failed after its end.
      else if (!result.ok && !result.todo) {
        lines = lines || openLines(folder);
        add(lines, { ...record, results: [brief(result)] }, "passed");
      }
    });
    test.once("end", () => {
      record.isOver = true;
      add(lines, record, test._skip ? "skipped" : "passed");
    });
    return _watch.call(this, test);
  };

  Results.prototype.close = function () {
    for (const [test, record] of this.ccwLoopRecords || []) {
      const isLeftOut = this._only && record.began === 0;
      if (!record.isOver) add(lines, { ...record, hasInner: false }, isLeftOut || test._skip ? "skipped" : "failed");
    }
    this.ccwLoopRecords = new Map();
    open.delete(this);
    if (open.size === 0 && lines) {
      lines.end();
      lines = null;
    }
    return close.call(this);
  };
}

/** Of an assertion no more than a line needs. */
function brief(result) {
  if (result.ok || result.todo || result.skip) return { isOpen: Boolean(result.todo || result.skip) };
  const { name, operator, actual, expected, error } = result;
  const values = "expected" in result || "actual" in result;
  const said = values ? "\nexpected: " + shown(expected) + "\nactual: " + shown(actual) : "";
  const thrown = actual && typeof actual === "object" && actual.stack ? actual : error;
  return { failed: true, message: name + " (" + operator + ")" + said, stack: String((thrown && thrown.stack) || "") };
}

function shown(value) {
  try {
    return inspect(value, { depth: 5, breakLength: 120 }).slice(0, 1000);
  } catch {
    return "?";
  }
}

function add(lines, { name, file, parents, results, began, hasInner }, otherwise) {
  const failure = results.find((one) => one.failed);
  // A group of tests is none itself.
  if (hasInner && results.length === 0 && otherwise === "passed") return;
  const isOpen = results.length > 0 && results.every((one) => one.isOpen);
  const status = failure ? "failed" : isOpen && otherwise === "passed" ? "skipped" : otherwise;
  const { message = status === "failed" ? "The test did not come to its end." : undefined, stack } = failure || {};
  lines.add({ name, file, parents, status, took: began ? Date.now() - began : 0, message, stack });
}
`;

/**
 * uvu has one output and no reporters: its module is extended while it is loaded, as ES module and as CommonJS, and
 * writes one line for each test. Only where the package is installed, for Node asks the hooks about every module.
 */
export const UVU_REPORTER = String.raw`"use strict";
const { existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, join } = require("node:path");
const { fileURLToPath } = require("node:url");
const { callingFile, openLines } = require("./node-lines.cjs");

const UVU = /[\\/]uvu[\\/]dist[\\/]index\.m?js$/;

/** Stands behind uvu's own text: "runner" runs the tests of a suite, "exec" all suites. */
const MORE = ${JSON.stringify(`
;{
  const ours = globalThis[Symbol.for("ccw-loop.uvu")]?.();
  if (ours && typeof runner === "function" && typeof exec === "function") {
    const ownRunner = runner;
    runner.bind = (_, ctx, name) => ours.suite(ctx, name, ownRunner);
    const ownExec = exec;
    exec = (bail) => ours.all(ownExec, bail);
    if (typeof exports === "object") exports.exec = exec;
  }
}
`)};

/** "begins" is called when uvu is loaded, and gives the folder; null where nothing is asked. */
exports.extendUvu = (begins) => {
  if (!isInstalled(process.cwd())) return;
  globalThis[Symbol.for("ccw-loop.uvu")] = () => {
    const folder = begins();
    return folder === null ? null : reporter(folder);
  };
  const extended = (source, file) => (UVU.test(file) ? String(source) + MORE : source);
  if (typeof Module.registerHooks === "function") {
    Module.registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        const file = url.startsWith("file:") ? fileURLToPath(url) : url;
        return UVU.test(file) ? { ...loaded, source: extended(loaded.source ?? readFileSync(file), file) } : loaded;
      },
    });
    return;
  }
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (content, filename, ...more) {
    return _compile.call(this, extended(content, filename), filename, ...more);
  };
  const hooks = "export async function load(url, context, next) { const loaded = await next(url, context);"
    + " return loaded.source && /\\/uvu\\/dist\\/index\\.mjs$/.test(url) ? { ...loaded, source: String(loaded.source) + " + JSON.stringify(MORE) + " } : loaded; }";
  if (Module.register) Module.register("data:text/javascript," + encodeURIComponent(hooks));
};

function isInstalled(folder) {
  if (existsSync(join(folder, "node_modules", "uvu"))) return true;
  return dirname(folder) !== folder && isInstalled(dirname(folder));
}

function reporter(folder) {
  // Opened while nothing is known of the tests: a process that ends before them is cut off.
  let lines = openLines(folder);
  let running = 0;
  let failed = false;
  let bails = false;
  const end = () => {
    if (lines) lines.end();
    lines = null;
  };
  process.on("exit", () => {
    // After the first failed suite it ends its process by itself.
    if (bails && failed && running === 0) end();
  });

  /** Runs the tests of a suite as uvu does, and notes how each of them ended. */
  async function watched(ctx, name, file, runner) {
    lines = lines || openLines(folder);
    running += 1;
    const key = ctx.only.length > 0 ? "only" : "tests";
    const records = ctx[key].map(({ name }) => ({ name, status: "failed", message: "A hook failed.", took: 0 }));
    let at = -1;
    const fails = (error) => {
      const stack = String((error && error.stack) || "");
      Object.assign(records[at], { status: "failed", message: String((error && error.message) || error), stack });
      throw error;
    };
    const tests = ctx[key].map((test, n) => ({
      ...test,
      async handler(...args) {
        const began = Date.now();
        try {
          await test.handler(...args);
          Object.assign(records[n], { status: "passed", message: undefined });
        } catch (error) {
          fails(error);
        } finally {
          records[n].took = Date.now() - began;
        }
      },
    }));
    const bEach = [() => (at += 1), ...ctx.bEach];
    const aEach = ctx.aEach.map((hook) => (...args) => Promise.resolve(args).then((all) => hook(...all)).catch(fails));
    const result = await runner({ ...ctx, [key]: tests, bEach, aEach }, name);
    const left = key === "only" ? ctx.tests.map((test) => test.name) : [];
    for (let n = 0; n < ctx.skips; n += 1) left.push("(skipped)");
    const all = [...records, ...left.map((one) => ({ name: one, status: "skipped" }))];
    for (const one of all) lines.add({ file, parents: name ? [name] : [], ...one });
    failed = failed || records.some(({ status }) => status === "failed");
    running -= 1;
    return result;
  }

  return {
    suite(ctx, name, runner) {
      const file = callingFile();
      return () => watched(ctx, name, file, runner);
    },
    async all(exec, bail) {
      bails = Boolean(bail);
      const result = await exec(bail);
      end();
      return result;
    },
  };
}
`;

/**
 * What our reporters inside Node share, as a CommonJS file beside them: one file of lines (`reports/event-lines.ts`), and
 * the test file that calls a runner which does not know it.
 */
export const NODE_LINES = String.raw`"use strict";
const { closeSync, openSync, writeSync } = require("node:fs");
const { join } = require("node:path");
const { fileURLToPath } = require("node:url");

let files = 0;
const cut = (text, length) => String(text).slice(0, length);

/** A file without its end line is a run that was cut off: it is opened before the first test. */
exports.openLines = (folder) => {
  files += 1;
  const file = openSync(join(folder, process.pid + "-" + files + ".ndjson"), "wx");
  const write = (line) => writeSync(file, JSON.stringify(line) + "\n");
  return {
    add({ name, file, parents = [], status, took = 0, message, stack = "" }) {
      write({
        name: cut(name, 2000),
        file: cut(file, 2000),
        parents: parents.map((one) => cut(one, 1000)).slice(-20),
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
};

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
`;
