/**
 * Extends tape where it is loaded: one line for each test, not for each assertion, whose name depends on how it ends.
 * What the tests print among its TAP is not read then.
 */
export const TAPE_REPORTER = String.raw`"use strict";
const { inspect } = require("node:util");
const { callingFile, extendCommonJs, openLines } = require("./node-lines.cjs");

const RESULTS = /[\\/]tape[\\/]lib[\\/]results\.js$/;

/** "begins" is called when tape is loaded, and gives the folder; null where nothing is asked. */
exports.extendTape = (begins) => extendCommonJs(RESULTS, (results) => {
  const folder = begins();
  if (folder === null) return results;
  const extend = typeof results.prototype._watch === "function" ? extendClass : extendFunction;
  return extend(results, opened(folder));
});

/** Since version 2: the class of the results, whose "_watch" gets each test, and each inner one. */
function extendClass(Results, notes) {
  const { _watch, close } = Results.prototype;
  Results.prototype._watch = function (test) {
    notes.watch(this, test);
    return _watch.call(this, test);
  };
  Results.prototype.close = function () {
    notes.close(this, this._only);
    return close.call(this);
  };
  return Results;
}

/** Version 1: a function that makes the stream of the results, whose "push" gets each outer test. */
function extendFunction(make, notes) {
  return (...given) => {
    const stream = make(...given);
    const { push } = stream;
    const watch = (test) => {
      notes.watch(stream, test);
      test.on("test", watch);
    };
    stream.push = (test) => {
      watch(test);
      return push(test);
    };
    stream.on("end", () => notes.close(stream, true));
    return stream;
  };
}

/** One file of lines for all results of a process that are open at the same time. */
function opened(folder) {
  // Opened while nothing is known of the tests: a process that ends before them is cut off.
  let lines = openLines(folder);
  const open = new Map();
  return {
    watch(results, test) {
      lines = lines || openLines(folder);
      const records = open.get(results) || new Map();
      open.set(results, records);
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
    },
    /** "only" is whether a test that never began may have been left out. */
    close(results, only) {
      for (const [test, record] of open.get(results) || []) {
        const isLeftOut = only && record.began === 0;
        if (!record.isOver) add(lines, { ...record, hasInner: false }, isLeftOut || test._skip ? "skipped" : "failed");
      }
      open.delete(results);
      if (open.size === 0 && lines) {
        lines.end();
        lines = null;
      }
    },
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
