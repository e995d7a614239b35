import type { Mutant } from "../mutant.ts";

const RUNNERS = "packages/verify/test/direct-runners.test.ts";
const TAKEN = "packages/verify/test/taken-tests.test.ts";
const BESIDE = "packages/verify/test/beside.test.ts";
const WHILE_TESTED = "packages/verify/test/while-tested.test.ts";
const REPLAY_EVASIONS = "packages/verify/test/replay-evasions.test.ts";

/** Whether programs that repeat calls, or start tests, are such as users run. */
export const mutants: Mutant[] = [
  {
    name: "Programs of test files do not wait for their turn.",
    file: "packages/verify/src/direct/starts.ts",
    find: "while (!existsSync(",
    replace: "while (process.argv.length > 9 && !existsSync(",
    test: { file: BESIDE, title: "wait beside each other, and run one by one: node:test" },
  },
  {
    name: "Modules of tests are loaded beside each other.",
    file: "packages/verify/src/direct/starts.ts",
    find: "while not exists(place):",
    replace: 'while not exists(place) and "load" not in place:',
    test: { file: BESIDE, title: "wait beside each other, and run one by one: pytest" },
  },
  {
    name: "A recording beside other runs counts although its tests fail.",
    file: "packages/verify/src/replay/replay.ts",
    find: 'if (typeof beside.recording !== "string") return',
    replace: "if (beside.recording !== undefined) return",
    test: { file: BESIDE, title: "need what else is on the machine" },
  },
  {
    name: "A recording that is made beside other runs has their network.",
    file: "packages/test-runner/src/clean-room/sandbox.ts",
    find: "ownNetwork ? isolatedNetwork",
    replace: "hidden.length > 99 && ownNetwork ? isolatedNetwork",
    test: { file: BESIDE, title: "with a port of their own are recorded once" },
  },
  {
    name: "No program that repeats calls listens on a port.",
    file: "packages/verify/src/replay/javascript/repeating.ts",
    find: "about.delay > 0 || about.clock ? await listening()",
    replace: "about.delay < 0 ? await listening()",
    test: { file: "packages/verify/test/replay-evasions.test.ts", title: "listens on a port" },
  },
  {
    name: "Tests that are started directly have the library of Node.",
    file: "packages/verify/src/direct/node-library.ts",
    find: "own : next(name, context)) });",
    replace: "next(name, context) : next(name, context)) });",
    test: { file: "packages/verify/test/direct.test.ts", title: "by traces of a library" },
  },
  {
    name: "Nothing starts the tests of uvu that repeat calls.",
    file: "packages/verify/src/replay/javascript/javascript.ts",
    find: 'run: "test.run();"',
    replace: 'run: ""',
    test: { file: RUNNERS, title: "uvu: shows what asks" },
  },
  {
    name: "Words of mocha are globals for sources as well.",
    file: "packages/verify/src/direct/own-modules.ts",
    find: "about = { stands: [],",
    replace: "Object.assign(globalThis, WORDS); about = { stands: [],",
    test: { file: RUNNERS, title: "mocha, by its words" },
  },
  {
    name: "What judges leaves its marks where sources see them.",
    file: "packages/verify/src/direct/own-modules.ts",
    find: "import { hidden as globalThis } from",
    replace: "import { hidden as none } from",
    test: { file: RUNNERS, title: "by what its assertions leave" },
  },
  {
    name: "A program of Python that calls tests loads unittest.",
    file: "packages/verify/src/direct/starts.ts",
    find: "import importlib.machinery, importlib.util, inspect, json, os, sys, time\n",
    replace: "import importlib.machinery, importlib.util, inspect, json, os, sys, time, unittest\n",
    test: { file: "packages/verify/test/direct.test.ts", title: "pytest by unittest" },
  },
  {
    name: "Files that are put back behind the tests count as never changed.",
    file: "packages/verify/src/touched.ts",
    find: "{stats.ctimeNs}",
    replace: "{stats.size}",
    test: { file: WHILE_TESTED, title: "writes the page, and puts it back" },
  },
  {
    name: "Functions of the runtime that a call replaces are not noticed.",
    file: "packages/verify/src/replay/javascript/recorder.ts",
    find: "const run = () => watchingRuntime(call, about.module, log);",
    replace: "const run = call;",
    test: { file: WHILE_TESTED, title: "replaces the reading when it is called" },
  },
  {
    name: "Functions of Python's library that a module replaces are not noticed.",
    file: "packages/verify/src/replay/python/recorder.ts",
    find: "            with watching(self.notes, module.__name__):\n                load(module)\n",
    replace: "            load(module)\n",
    test: { file: WHILE_TESTED, title: "when it is loaded, in Python" },
  },
  {
    name: "Files of tests lie where these run that are started directly.",
    file: "packages/verify/src/direct/taken-tests.ts",
    find: "isTaken ? tests.filter((path) => !sources.includes(path)) : []",
    replace: "isTaken ? tests.filter((path) => sources.includes(path)) : []",
    test: { file: TAKEN, title: "node:test: show who reads" },
  },
  {
    name: "What tests of the start need as well is no excuse.",
    file: "packages/verify/src/direct/direct.ts",
    find: "!(await readsItsTests(taken, direct))",
    replace: "(await readsItsTests(taken, direct)) !== null",
    test: { file: TAKEN, title: "is no objection where tests of the start" },
  },
  {
    name: "Tests lie beside a program that has just started.",
    file: "packages/verify/src/replay/program.ts",
    find: "justStarted ? await removeTests",
    replace: "ahead < 0 ? await removeTests",
    test: { file: REPLAY_EVASIONS, title: "looks for the folder of its tests" },
  },
  {
    name: "A call that names a folder of tests is made without it.",
    file: "packages/verify/src/replay/repeat.ts",
    find: "removed.some((folder) => args.includes(folder))",
    replace: "removed.some((folder) => args === folder)",
    test: { file: REPLAY_EVASIONS, title: "writes into the folder of its tests" },
  },
  {
    name: "No property of Python is read again.",
    file: "packages/verify/src/replay/python/recorder.ts",
    find: "type(value) is property and value.fget",
    replace: "type(value) is int and value.fget",
    test: { file: "packages/verify/test/replay-uses.test.ts", title: "properties are read again" },
  },
  {
    name: "A source may replace functions of another one.",
    file: "packages/verify/src/replay/javascript/runtime.ts",
    find: "newly.filter(isReplaced).map",
    replace: "newly.filter(() => false).map",
    test: { file: WHILE_TESTED, title: "replaces another source's method" },
  },
  {
    name: "No source may replace its own functions.",
    file: "packages/verify/src/replay/javascript/runtime.ts",
    find: "one.module === module",
    replace: "one.module === null",
    test: { file: WHILE_TESTED, title: "a source may replace its own functions" },
  },
  {
    name: "Tests are started directly on what was built for the runner.",
    file: "packages/verify/src/direct/direct.ts",
    find: "if (builds.length > 0) await started(",
    replace: "if (builds.length > 1000) await started(",
    test: {
      file: "packages/verify/test/direct.test.ts",
      title: "builds is built as users do",
    },
  },
  {
    name: "A source may write its own result over an expected number while its tests are loaded.",
    file: "packages/verify/src/falsify/code.ts",
    find: "if (NUMBER.test(second)) return",
    replace: "if (!NUMBER.test(second)) return",
    test: {
      file: "packages/verify/test/dialect.test.ts",
      title: "JavaScript: the expected value is made wrong: assert.equal(total(), 5);",
    },
  },
];
