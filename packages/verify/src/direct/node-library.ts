import { DISGUISE } from "./disguise.ts";
import { LIBRARY } from "./library.ts";

/**
 * Stands in for `node:test` in a program of ours: what it offers for writing tests, without what a run of it leaves in
 * the process (listeners, a reporter, modules of Node). Mocks are Node's own, and only where a test asks for them; no source
 * can tell them from what they stand for.
 */
export const NODE_LIBRARY = `${LIBRARY}
import { pathToFileURL } from "node:url";
${DISGUISE}
const [test, describe] = [named(addTest), named(addSuite)];
dialect = {
  call: (fn, context) => called(fn, undefined, context),
  collect: (fn, context) => fn(context),
  failure: failed,
  context: (one) => ({
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
  }),
};
export { after, afterEach, before, beforeEach, describe, describe as suite, test, test as it };
let disguisedTimers = (timers) => timers;
export const mock = new Proxy({}, {
  get(_, key) {
    const own = (process.getBuiltinModule?.("node:test") ?? load("node:test")).mock;
    if (key === "timers") return disguisedTimers(own.timers);
    if (key === "fn") return (...given) => disguised(own.fn(...given), given.find((one) => typeof one === "function"));
    if (key === "method") return disguisedSpy(own.method.bind(own));
    return typeof own[key] === "function" ? own[key].bind(own) : own[key];
  },
});
export const snapshot = new Proxy({}, { get: () => () => missing("snapshot") });
export const assert = assertions;
export const run = () => missing("run");
export const { skip, todo, only, expectFailure } = test;
Object.assign(test, { test, it: test, describe, suite: describe, before, after, beforeEach, afterEach, mock, snapshot, assert, run });
export { test as default, test as "module.exports" };

/** From here on this module is what programs get for node:test. */
export function start(word, root, files) {
  token = word;
  sourcesAre(root, files);
  const stand = standForClock();
  disguisedTimers = (timers) => stand(timers);
  const own = { url: import.meta.url, format: "module", shortCircuit: true };
  if (nodeModule.registerHooks) {
    nodeModule.registerHooks({ resolve: (name, context, next) => (name === "node:test" ? own : next(name, context)) });
    return takeTests(root);
  }
  takeTests(root);
  // Before Node 22.15 hooks are modules of another thread, and require asks none.
  const hooks = "export const resolve = async (name, context, next) => (name === 'node:test' ? " + JSON.stringify(own) + " : next(name, context));";
  nodeModule.register("data:text/javascript," + encodeURIComponent(hooks));
  nodeModule._load = (name, ...more) => (name === "node:test" ? test : load(name, ...more));
}
/** Resolves when no test is left: as with the runner, what is behind the last one does not wait for servers to close. */
export async function tested() {
  for (let seen; seen !== last; await seen) seen = last;
}
export const finish = () => each(root.hooks.after, dialect.context(root)).catch(() => {});
`;
