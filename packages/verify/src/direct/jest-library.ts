import { TYPESCRIPT } from "../replay/javascript/loading.ts";
import { DISGUISE } from "./disguise.ts";
import { LIBRARY } from "./library.ts";
import { OWN_MODULES } from "./own-modules.ts";
import { TABLES } from "./tables.ts";

/** The words of jest, as names and as `@jest/globals`; its assertions and mocks are those of the project's own. */
export const JEST_LIBRARY = `${LIBRARY}${OWN_MODULES}${DISGUISE}${TABLES}${TYPESCRIPT}
dialect = {
  context: () => undefined,
  call: (fn) => inTime((async () => called(fn, undefined))()),
  row: (fn, row) => called(fn, undefined, ...row),
  collect: (fn) => fn(),
  // What a compiler of the project gives a module is not here.
  failure: (error) => (error instanceof ReferenceError ? "unclear" : failed(error)),
};
const [it, fit, fdescribe, xit, xtest, xdescribe, beforeAll, afterAll] = [test, test, describe, test.skip, test.skip, describe.skip, before, after];
let [expect, jest] = [];
Object.assign(WORDS, { describe, fdescribe, xdescribe, test, it, fit, xit, xtest, beforeAll, afterAll, beforeEach, afterEach, expect, jest });
export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, fdescribe, fit, it, jest, test, xdescribe, xit, xtest };

/** A package of the project's jest, each found from the one before it. */
function ofJest(...names) {
  let from = join(about.root, "package.json");
  for (const name of names) from = nodeModule.createRequire(from).resolve(name + "/package.json");
  return nodeModule.createRequire(from).resolve(".");
}

async function findOwn() {
  const chain = ["jest", "jest-cli", "jest-config"];
  const assertions = privately(ofJest(...chain, "jest-circus", "@jest/expect", "expect"), hidden);
  const { ModuleMocker } = privately(ofJest(...chain, "jest-environment-node", "jest-mock"), hidden);
  expect = assertions.expect ?? assertions.default;
  expect.extend(MATCHERS_MISSING);
  const mocker = new ModuleMocker(globalThis);
  const [isSpied, none] = [(object) => !types.isModuleNamespaceObject(object), () => jest];
  const all = Object.fromEntries(["clearAllMocks", "resetAllMocks", "restoreAllMocks"].map((key) => [key, () => { mocker[key](); return jest; }]));
  const own = Object.fromEntries(["isMockFunction", "mocked", "replaceProperty"].filter((key) => mocker[key]).map((key) => [key, mocker[key].bind(mocker)]));
  sourcesAre(about.root, about.sources);
  const spyOn = disguisedSpy(mocker.spyOn.bind(mocker));
  jest = only({
    fn: (plain) => disguised(mocker.fn(plain), plain),
    ...{ ...own, ...all, setTimeout: none, retryTimes: none, useRealTimers: none },
    spyOn: (object, ...more) => (isSpied(object) ? spyOn(object, ...more) : missing("a spy of a module")),
  }, "jest");
  Object.assign(WORDS, { expect, jest });
  const always = { clearMocks: jest.clearAllMocks, resetMocks: jest.resetAllMocks, restoreMocks: jest.restoreAllMocks };
  root.hooks.beforeEach.push(() => {
    for (const key of about.each) always[key]();
    expect.setState({ assertionCalls: 0, expectedAssertionsNumber: null, isExpectingAssertions: false, testPath: join(about.root, about.path) });
  });
}

export const tests = (given) => asProgram({ ...given, stands: ["@jest/globals"] }, {
  prepare: findOwn,
  load: async () => {
    for (const file of [...about.setup, join(about.root, about.path)]) await import(pathToFileURL(file).href);
  },
});
`;

/** What the project's configuration and command say of how tests are run. */
export const JEST_SETTINGS = `
const jest = require.resolve("jest/package.json");
const cli = nodeModule.createRequire(jest).resolve("jest-cli/package.json");
const { readConfig } = nodeModule.createRequire(cli)("jest-config");
const { projectConfig: test, globalConfig } = await readConfig({ _: [], $0: "jest" }, root);
const asked = ["--config", "-c", "--projects", "--env", "--rootDir", "--setupFiles", "--automock", "--moduleNameMapper", "--globals"];
const set = [
  ...asked.filter((name) => words.some((word) => word === name || word.startsWith(name + "="))),
  ...["automock", "resolver", "globalSetup"].filter((key) => test[key] ?? globalConfig[key]),
  ...["globals", "moduleNameMapper", "modulePaths"].filter((key) => Object.keys(test[key] ?? {}).length > 0),
  ...(/node\\b/.test(String(test.testEnvironment).split(/[\\\\/]/).slice(-3).join("/")) ? [] : ["testEnvironment"]),
  ...(String(test.moduleDirectories) === "node_modules" ? [] : ["moduleDirectories"]),
  ...(test.fakeTimers?.enableGlobally ? ["fakeTimers"] : []),
  ...((globalConfig.projects?.length ?? 0) > 1 ? ["projects"] : []),
];
settings = {
  setup: [...test.setupFiles, ...test.setupFilesAfterEnv],
  each: ["clearMocks", "resetMocks", "restoreMocks"].filter((key) => test[key] === true),
  ...(set.length > 0 ? { without: set.join(", ") } : {}),
};
`;
