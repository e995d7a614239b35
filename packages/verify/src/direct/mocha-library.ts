import { TYPESCRIPT } from "../replay/javascript/loading.ts";
import { LIBRARY } from "./library.ts";
import { OWN_MODULES } from "./own-modules.ts";

/** The words of mocha's interfaces, for test files that find them as their globals, and import them nowhere. */
export const MOCHA_LIBRARY = `${LIBRARY}${OWN_MODULES}${TYPESCRIPT}${String.raw`
const contexts = new Map();
/** Each suite has its parent's, and its tests have their suite's. */
const contextOf = (place) => {
  if (!contexts.has(place)) contexts.set(place, place === null ? mochaContext() : Object.create(contextOf(place.parent)));
  return contexts.get(place);
};
const mochaContext = () => {
  const self = { skip: () => { throw new Skipped(); } };
  for (const key of ["timeout", "slow", "retries"]) self[key] = function (value) { return value === undefined ? 0 : this; };
  return self;
};
dialect = {
  context: (one) => (one.children ? contextOf(one) : Object.assign(contextOf(one.parent), { test: titled(one), currentTest: titled(one) })),
  call: (fn, context) => inTime(called(fn, context)),
  collect: (fn, context) => void fn.call(context, context),
  failure: failed,
};
root.children = [];
const titled = (one) => ({
  title: one.name,
  fullTitle: () => above(one).flatMap(({ name }) => name ?? []).join(" "),
  titlePath: () => above(one).flatMap(({ name }) => name ?? []),
  state: one.error ? "failed" : "passed",
  err: one.error,
  isFailed: () => Boolean(one.error),
  isPending: () => false,
  timeout() {},
});
/** What a suite or a test is told behind its declaration. */
const chained = (make) => (...given) => { make(...given); return mochaContext(); };
const declared = (make) => Object.assign(chained(make), { skip: chained(make.skip), only: chained(make.only) });
Object.assign(WORDS, { before, after, beforeEach, afterEach, setup: beforeEach, teardown: afterEach, suiteSetup: before, suiteTeardown: after, run: () => missing("run") });
for (const word of ["describe", "context", "suite"]) WORDS[word] = declared(named(addSuite));
for (const word of ["it", "specify", "test"]) WORDS[word] = declared(named(addTest));
for (const word of ["describe", "context", "it", "specify"]) WORDS["x" + word] = WORDS[word].skip;

/** Loads a file with its tests, and runs these. */
export const tests = (given) => asProgram(given, { prepare, load: () => import(pathToFileURL(join(about.root, about.path)).href) });
async function prepare() {
  for (const name of about.require) {
    const isFile = /^\.{0,2}\//.test(name) || existsSync(join(about.root, name));
    const place = isFile ? join(about.root, name) : nodeModule.createRequire(join(about.root, "package.json")).resolve(name);
    const { mochaHooks, default: whole } = await import(pathToFileURL(place).href);
    const hooks = mochaHooks ?? whole?.mochaHooks;
    const own = typeof hooks === "function" ? await hooks() : (hooks ?? {});
    for (const [kind, key] of [["before", "beforeAll"], ["after", "afterAll"], ["beforeEach", "beforeEach"], ["afterEach", "afterEach"]]) root.hooks[kind].push(...[own[key] ?? []].flat());
  }
}
`}`;

/** What mocha's own configuration says of how tests are run. */
export const MOCHA_SETTINGS = `
const options = ["mocha/lib/cli/options", "mocha/lib/cli/options.cjs"].map(found).find((one) => one !== null);
const { require: required = [], import: imported = [], ui } = options.loadOptions(words);
const isKnown = ["bdd", "tdd", "qunit"].includes(ui);
settings = { require: [required, imported].flat(), ...(isKnown ? {} : { without: "tests of another interface" }) };
`;
