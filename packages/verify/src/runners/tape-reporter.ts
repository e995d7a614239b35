/**
 * Extends tape where it is loaded, by any version since 4: one line for each test, not for each assertion. What the
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
  if (folder === null) return;
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
