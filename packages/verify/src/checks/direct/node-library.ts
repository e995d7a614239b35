/**
 * Stands in for `node:test` in a program of ours: what it offers for writing tests, without what a run of it leaves in
 * the process (listeners, a reporter, modules of Node). Mocks are Node's own, and only where a test asks for them. A
 * test that needs what is not here is `unclear`.
 */
export const NODE_LIBRARY = String.raw`import assertions from "node:assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { writeSync } from "node:fs";
import nodeModule from "node:module";

const load = nodeModule._load.bind(nodeModule);
let token = "";
const say = (word, name) => writeSync(1, "\n" + token + " " + word + " " + name.replaceAll(/\s+/g, " ").trim() + "\n");
class Missing extends Error {}
const missing = (what) => { throw new Missing(what + " is not here"); };

const hooksOf = () => ({ before: [], after: [], beforeEach: [], afterEach: [] });
const root = { parent: null, hooks: hooksOf(), children: null, begun: null };
const scope = new AsyncLocalStorage();
const here = () => scope.getStore() ?? root;
let last = Promise.resolve();

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

const called = (fn, ...given) => fn.length > given.length
  ? new Promise((done, failed) => fn(...given, (error) => (error ? failed(error) : done())))
  : fn(...given);
const each = async (hooks, context) => { for (const hook of hooks) await called(hook, context); };
const above = (place) => (place === null ? [] : [...above(place.parent), place]);
/** Before the first test of a place: what prepares it, once. */
const begin = (place) => (place.begun ??= each(place.hooks.before, contextOf(place)));

const contextOf = (one) => ({
  name: one.name ?? "<root>",
  fullName: above(one).flatMap(({ name }) => name ?? []).join(" > "),
  signal: new AbortController().signal,
  assert: new Proxy(assertions, { get: (target, key) => (/snapshot/i.test(String(key)) ? () => missing("snapshot") : target[key]) }),
  mock,
  test: (...given) => scope.run(one, () => test(...given)),
  diagnostic() {},
  plan() {},
  runOnly() {},
  skip: () => { one.skipped = true; },
  todo: () => { one.skipped = true; },
  ...Object.fromEntries(Object.keys(one.hooks).map((kind) => [kind, (hook) => one.hooks[kind].push(hook)])),
});

async function runTest(one) {
  if (one.options.skip || one.options.todo || one.options.expectFailure || !one.fn) return;
  const places = above(one.parent);
  one.parts = [];
  one.lastPart = Promise.resolve();
  const context = contextOf(one);
  let word = "passed";
  try {
    for (const place of places) await begin(place);
    await each(places.flatMap(({ hooks }) => hooks.beforeEach), context);
    await scope.run(one, () => called(one.fn, context));
    for (let n = 0; n < one.parts.length; n += 1) await one.parts[n];
  } catch (error) {
    word = error instanceof Missing ? "unclear" : "failed";
    one.error = error;
  }
  try {
    await each(places.toReversed().flatMap(({ hooks }) => hooks.afterEach), context);
    await each(one.hooks.after, context);
  } catch (error) {
    if (word === "passed") word = "failed";
    one.error ??= error;
  }
  if (!one.skipped) say(word, one.name);
  if (word !== "passed" && one.parent.parts) throw one.error;
}

async function runSuite(one) {
  for (const child of one.children) await child().catch(() => {});
  await each(one.hooks.after, contextOf(one));
}

const named = (make) => Object.assign((...given) => make(given, {}), Object.fromEntries(
  ["skip", "todo", "only", "expectFailure"].map((kind) => [kind, (...given) => make(given, { [kind]: true })]),
));

export const test = named((given, more) => {
  const one = described(given, more);
  return added(one, () => runTest(one));
});
export const it = test;
export const describe = named((given, more) => {
  const one = { ...described(given, more), children: [] };
  if (one.options.skip || one.options.todo || !one.fn) return Promise.resolve();
  const collected = Promise.resolve(scope.run(one, () => one.fn(contextOf(one))));
  return added(one, () => collected.then(() => runSuite(one)));
});
export const suite = describe;
const hook = (kind) => (fn) => void (fn && here().hooks[kind].push(fn));
export const [before, after, beforeEach, afterEach] = ["before", "after", "beforeEach", "afterEach"].map(hook);
export const mock = new Proxy({}, {
  get(_, key) {
    const own = (process.getBuiltinModule?.("node:test") ?? load("node:test")).mock;
    return typeof own[key] === "function" ? own[key].bind(own) : own[key];
  },
});
export const snapshot = new Proxy({}, { get: () => () => missing("snapshot") });
export const assert = assertions;
export const run = () => missing("run");
export const { skip, todo, only, expectFailure } = test;
Object.assign(test, { test, it, describe, suite, before, after, beforeEach, afterEach, mock, snapshot, assert, run });
export { test as default, test as "module.exports" };

/** From here on this module is what programs get for node:test. */
export function start(word) {
  token = word;
  const own = { url: import.meta.url, format: "module", shortCircuit: true };
  if (nodeModule.registerHooks) {
    nodeModule.registerHooks({ resolve: (name, context, next) => (name === "node:test" ? own : next(name, context)) });
    return;
  }
  // Before Node 22.15 hooks are modules of another thread, and require asks none.
  const hooks = "export const resolve = async (name, context, next) => (name === 'node:test' ? " + JSON.stringify(own) + " : next(name, context));";
  nodeModule.register("data:text/javascript," + encodeURIComponent(hooks));
  nodeModule._load = (name, ...more) => (name === "node:test" ? test : load(name, ...more));
}
export const finish = () => each(root.hooks.after, contextOf(root)).catch(() => {});
`;
