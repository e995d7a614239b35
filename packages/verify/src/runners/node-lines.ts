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
  Module.registerHooks?.({
    load(url, context, next) {
      const loaded = next(url, context);
      const file = url.startsWith("file:") ? fileURLToPath(url) : url;
      return pattern.test(file) ? { ...loaded, source: String(loaded.source ?? readFileSync(file)) + more } : loaded;
    },
  });
};
`;
