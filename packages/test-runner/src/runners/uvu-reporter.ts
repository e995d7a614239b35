/**
 * uvu has one output and no reporters: its module is extended while it is loaded, as ES module and as CommonJS, and
 * writes one line for each test. Only where the package is installed, for Node asks the hooks about every module.
 */
export const UVU_REPORTER = String.raw`"use strict";
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { callingFile, extendText, openLines } = require("./node-lines.cjs");

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

/**
 * "begins" is called when uvu is loaded, and gives the folder; null where nothing is asked. Its program may load it as ES module, and
 * a test as CommonJS: both tell the same reporter.
 */
exports.extendUvu = (begins) => {
  if (!isInstalled(process.cwd())) return;
  let ours = null;
  globalThis[Symbol.for("ccw-loop.uvu")] = () => {
    const folder = ours === null ? begins() : null;
    if (folder !== null) ours = reporter(folder);
    return ours;
  };
  extendText(UVU, MORE);
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
