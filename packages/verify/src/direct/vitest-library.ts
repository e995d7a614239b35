import { LOADING, TYPESCRIPT } from "../replay/javascript/loading.ts";
import { DISGUISE } from "./disguise.ts";
import { LIBRARY } from "./library.ts";
import { OWN_MODULES } from "./own-modules.ts";
import { TABLES } from "./tables.ts";

/** Stands in for `vitest`; its assertions and mocks are those of the project's own, which no source finds. */
export const VITEST_LIBRARY = `${LIBRARY}${OWN_MODULES}${DISGUISE}${TABLES}${LOADING}${TYPESCRIPT}${String.raw`
const contexts = new WeakMap();
function contextOf(one) {
  if (!contexts.has(one)) {
    contexts.set(one, {
      expect,
      task: { name: one.name ?? "", type: one.children ? "suite" : "test", meta: {} },
      signal: new AbortController().signal,
      skip: (is = true) => { if (is) throw new Skipped(); },
      annotate() {},
      onTestFinished: (fn) => void one.hooks.after.push(fn),
      onTestFailed() {},
    });
  }
  return contexts.get(one);
}
dialect = {
  context: contextOf,
  call: (fn, context) => inTime((async () => fn(context))()),
  row: (fn, row) => fn(...row),
  collect: (fn) => fn(),
  failure: failed,
};

/** What a hook gives is called behind what it was called before. */
const cleaned = (add) => (fn) => void add(async (context) => {
  const clean = await fn(context);
  if (typeof clean === "function") context.onTestFinished(clean);
});
const [suite, it, beforeAll, afterAll, beforeEachTest] = [describe, test, cleaned(before), after, cleaned(beforeEach)];
const onTestFinished = (fn) => void here().hooks.after.push(fn);
const [onTestFailed, bench, setConfig] = [() => {}, () => {}, () => {}];

const stubs = [];
const stub = (place, key, value) => {
  const before = Object.getOwnPropertyDescriptor(place, key);
  stubs.push({ place, restore: () => { delete place[key]; if (before) Object.defineProperty(place, key, before); } });
  if (value === undefined && place === process.env) delete place[key];
  else if (place === process.env) place[key] = value;
  else Object.defineProperty(place, key, { value, writable: true, configurable: true, enumerable: true });
  return vi;
};
const unstub = (place) => () => {
  for (const one of stubs.filter((one) => one.place === place).toReversed()) one.restore();
  stubs.splice(0, stubs.length, ...stubs.filter((one) => one.place !== place));
  return vi;
};
const waitFor = (fn, given = {}) => {
  const { timeout = 1000, interval = 50 } = typeof given === "number" ? { timeout: given } : given;
  const end = performance.now() + timeout;
  const tried = async () => {
    try {
      return await fn();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((go) => setTimeout(go, interval));
      return tried();
    }
  };
  return tried();
};
let [expect, vi, vitest, assert, should, chai, expectTypeOf, assertType, createExpect] = [];

/** The project's own vitest, without a run of it. */
async function findOwn() {
  // What it looks for there in a run.
  globals.__vitest_worker__ = { config: { expect: {}, fakeTimers: {}, snapshotOptions: { expand: false } }, filepath: join(about.root, about.path), ctx: {}, environment: { name: "node" } };
  const own = await import(about.own);
  own.expect.extend(MATCHERS_MISSING);
  for (const key of ["soft", "poll"]) own.expect[key] = key === "soft" ? own.expect : () => missing("expect.poll");
  sourcesAre(about.root, about.sources);
  const fn = (plain) => disguised(own.vi.fn(plain), plain);
  const spied = disguisedSpy(own.vi.spyOn.bind(own.vi));
  const { isMockFunction, clearAllMocks, resetAllMocks, restoreAllMocks } = own.vi;
  const spyOn = (object, ...more) => (types.isModuleNamespaceObject(object) ? missing("a spy of a module") : spied(object, ...more));
  const all = Object.fromEntries(Object.entries({ clearAllMocks, resetAllMocks, restoreAllMocks }).map(([key, call]) => [key, () => { call(); return vi; }]));
  vi = vitest = only({
    ...{ fn, isMockFunction, spyOn, ...all, waitFor, setConfig, resetConfig: setConfig },
    mocked: (value) => value,
    hoisted: (make) => make(),
    waitUntil: (is, given) => waitFor(async () => (await is()) || Promise.reject(new Error("It did not come true.")), given),
    stubEnv: (key, value) => stub(process.env, key, value),
    stubGlobal: (key, value) => stub(globalThis, key, value),
    unstubAllEnvs: unstub(process.env),
    unstubAllGlobals: unstub(globalThis),
    useRealTimers: () => vi,
    isFakeTimers: () => false,
  }, "vi");
  ({ expect, assert, should, chai, expectTypeOf, assertType, createExpect } = own);
  Object.assign(WORDS, { expect, vi, vitest, assert, should, chai, expectTypeOf, assertType });
  const always = { clearMocks: vi.clearAllMocks, mockReset: vi.resetAllMocks, restoreMocks: vi.restoreAllMocks, unstubEnvs: vi.unstubAllEnvs, unstubGlobals: vi.unstubAllGlobals };
  root.hooks.beforeEach.push(({ task }) => {
    for (const key of about.each) always[key]();
    expect.setState({ assertionCalls: 0, currentTestName: task.name, testPath: join(about.root, about.path) });
  });
}

Object.assign(WORDS, { describe, suite, test, it, beforeAll, afterAll, beforeEach: beforeEachTest, afterEach, onTestFinished, onTestFailed });
for (const word of ["expect", "vi", "vitest", "assert", "should", "chai", "expectTypeOf", "assertType"]) WORDS[word] = undefined;
const inject = () => missing("inject");
export { afterAll, afterEach, assert, assertType, beforeAll, beforeEachTest as beforeEach, bench, chai, createExpect, describe, expect, expectTypeOf, inject, it, onTestFailed, onTestFinished, should, suite, test, vi, vitest };

function wantBundler(url, { source }) {
  const isProjects = !pathOf(url).startsWith("..") && !url.includes("/node_modules/");
  if (isProjects && source && BUNDLED.test(String(source))) throw new Error("Only a bundler can load " + url);
}

/** As the project's modules are loaded by Vite: for what only a bundler gives. */
const asVite = {
  name: "words",
  enforce: "pre",
  transform(code, id) {
    const file = id.split("?")[0];
    // A source has no part in what the tests have.
    if (about.sources.includes(relative(about.root, file))) return { code: code.replaceAll(/(["'])vitest\1/g, JSON.stringify(ownUrl + "?source")), map: null };
    return isTestSide(pathToFileURL(file).href) ? { code: String(withWords({ format: "module", source: code }, file, "vitest").source), map: null } : null;
  },
};

export const tests = (given) => asProgram({ ...given, own: "vitest", stands: ["vitest"], onLoad: wantBundler, ...(given.globals ? {} : { words: [] }) }, { prepare: findOwn, load: loadTests });
async function loadTests() {
  const files = [...about.setup, join(about.root, about.path)];
  const prepared = root.hooks.beforeEach.slice();
  try {
    for (const file of files) await import(pathToFileURL(file).href);
  } catch (error) {
    if (error instanceof Missing) throw error;
    const home = bundlerHome(about.root, files.at(-1));
    const vite = await viteOf(home, [asVite]).catch(() => null);
    if (vite === null) throw error;
    root.children = [];
    Object.assign(root.hooks, hooksOf(), { beforeEach: prepared });
    giveTests();
    for (const file of files) await vite.ssrLoadModule("/" + relative(home, file));
    hideTests();
  }
}
`}`;

/** What the project's configuration and command say of how tests are run. */
export const VITEST_SETTINGS = `
const names = ["vitest", "vite"].flatMap((tool) => ["ts", "mts", "cts", "js", "mjs", "cjs"].map((ending) => join(root, tool + ".config." + ending)));
const file = names.find((name) => existsSync(name));
let test = {};
if (file) {
  const from = nodeModule.createRequire(require.resolve("vitest/package.json"));
  const { loadConfigFromFile } = await import(pathToFileURL(join(from.resolve("vite/package.json"), "../dist/node/index.js")).href);
  const { config } = await loadConfigFromFile({ command: "serve", mode: "test" }, file, root, "silent");
  test = config.test ?? {};
}
const isNode = (name) => name === undefined || name === "node";
const option = (name) => words.findIndex((word) => word === name || word.startsWith(name + "="));
const says = (name) => option(name) !== -1;
const asked = ["--dom", "--browser", "--project", "--config", "-c", "--root", "-r", "--environment"].filter(says);
const set = ["projects", "workspace", "globalSetup", "env", "alias", "runner", "environmentMatchGlobs", "snapshotEnvironment"].filter((key) => Object.keys(Object(test[key])).length > 0 || typeof test[key] === "string");
if (!isNode(test.environment)) set.push("environment");
if (test.browser?.enabled) set.push("browser");
settings = {
  globals: test.globals === true || says("--globals"),
  setup: [test.setupFiles ?? []].flat().map((name) => (name.startsWith(".") || !name.startsWith("/") ? join(root, name) : name)),
  each: ["clearMocks", "mockReset", "restoreMocks", "unstubEnvs", "unstubGlobals"].filter((key) => test[key] === true),
  ...([...asked, ...set].length > 0 ? { without: [...asked, ...set].join(", ") } : {}),
};
`;
