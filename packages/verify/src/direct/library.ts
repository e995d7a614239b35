import { TAKEN_TESTS } from "./taken-tests.ts";

/**
 * What every runner offers for writing tests, for a program of ours: suites, tests, hooks, and saying what came of them. A
 * dialect behind it sets \`dialect\` and exports the words. A test that needs what is not here is \`unclear\`.
 */
export const LIBRARY = `${String.raw`import assertions from "node:assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const load = nodeModule._load.bind(nodeModule);
let token = "";
const print = (text) => writeSync(1, "\n" + token + " " + text + "\n");
const say = (word, name) => print(word + " " + name.replaceAll(/\s+/g, " ").trim());
class Missing extends Error {}
const missing = (what) => { throw new Missing(what + " is not here"); };
class Skipped extends Error {}

const hooksOf = () => ({ before: [], after: [], beforeEach: [], afterEach: [] });
const root = { parent: null, hooks: hooksOf(), children: null, begun: null };
const scope = new AsyncLocalStorage();
const here = () => scope.getStore() ?? root;
let last = Promise.resolve();
/** How functions of tests and suites are called, and with what. */
let dialect = {};

const described = (given, more) => {
  const one = { name: "", options: {}, fn: null };
  for (const value of given) {
    if (typeof value === "function") one.fn = value;
    else if (typeof value === "string") one.name = value;
    else if (value && typeof value === "object") one.options = value;
  }
  const options = { ...one.options, ...more };
  return { ...one, options, name: one.name || one.fn?.name || "<anonymous>", parent: here(), hooks: hooksOf(), begun: null };
};

/** Runs now, after what was added before it; within a suite when that runs, within a test as a part of it. */
const added = (one, run) => {
  const place = one.parent;
  if (place.children) {
    place.children.push(run);
    return Promise.resolve();
  }
  if (place.parts) {
    const part = place.lastPart.then(run);
    place.lastPart = part.catch(() => {});
    place.parts.push(part);
    return part.then(() => {}, () => {});
  }
  last = last.then(run).catch(() => {});
  return last;
};

/** A function with one parameter more than it is given is called back. */
const called = (fn, self, ...given) => fn.length > given.length
  ? new Promise((done, failed) => fn.call(self, ...given, Object.assign((error) => (error ? failed(error) : done()), { fail: failed })))
  : fn.call(self, ...given);
const each = async (hooks, context) => { for (const hook of hooks) await dialect.call(hook, context); };
const above = (place) => (place === null ? [] : [...above(place.parent), place]);
/** Before the first test of a place: what prepares it, once. */
const begin = (place) => (place.begun ??= each(place.hooks.before, dialect.context(place)));

async function runTest(one) {
  if (one.options.skip || one.options.todo || one.options.expectFailure || !one.fn) return;
  const places = above(one.parent);
  one.parts = [];
  one.lastPart = Promise.resolve();
  const context = dialect.context(one);
  let word = "passed";
  try {
    for (const place of places) await begin(place);
    await each(places.flatMap(({ hooks }) => hooks.beforeEach), context);
    await scope.run(one, () => dialect.call(one.fn, context));
    for (let n = 0; n < one.parts.length; n += 1) await one.parts[n];
  } catch (error) {
    word = dialect.failure(error);
    one.error = error;
    one.skipped ||= error instanceof Skipped;
  }
  try {
    await each(places.toReversed().flatMap(({ hooks }) => hooks.afterEach), context);
    await each(one.hooks.after, context);
  } catch (error) {
    if (word === "passed") word = dialect.failure(error);
    one.error ??= error;
  }
  if (!one.skipped) say(word, one.name);
  if (word !== "passed" && one.parent.parts) throw one.error;
}

async function runSuite(one) {
  for (const child of one.children) await child().catch(() => {});
  await each(one.hooks.after, dialect.context(one));
}

/** A word, and others behind it: \`test.skip\`. */
const named = (add) => Object.assign((...given) => add(described(given, {})), Object.fromEntries(
  ["skip", "todo", "only", "expectFailure"].map((kind) => [kind, (...given) => add(described(given, { [kind]: true }))]),
));
const addTest = (one) => added(one, () => runTest(one));
const addSuite = (one) => {
  one.children = [];
  if (one.options.skip || one.options.todo || !one.fn) return Promise.resolve();
  const collected = Promise.resolve(scope.run(one, () => dialect.collect(one.fn, dialect.context(one))));
  return added(one, () => collected.then(() => runSuite(one)));
};
const hook = (kind) => (...given) => here().hooks[kind].push(...given.filter((fn) => typeof fn === "function"));
const [before, after, beforeEach, afterEach] = ["before", "after", "beforeEach", "afterEach"].map(hook);
const failed = (error) => (error instanceof Missing ? "unclear" : "failed");
`}${TAKEN_TESTS}`;
