import type { Mutant } from "../mutant.ts";

/** Whether programs that repeat calls, or start tests, are such as users run. */
export const mutants: Mutant[] = [
  {
    name: "No program that repeats calls listens on a port.",
    file: "packages/verify/src/checks/replay/javascript/recorder.ts",
    find: "!loaders && (delay > 0 || clock) ? await listening()",
    replace: "!loaders && delay < 0 ? await listening()",
    test: { file: "packages/verify/test/replay-evasions.test.ts", title: "listens on a port" },
  },
  {
    name: "Tests that are started directly have the library of Node.",
    file: "packages/verify/src/checks/direct/node-library.ts",
    find: 'name === "node:test" ?',
    replace: 'name === "" ?',
    test: { file: "packages/verify/test/direct.test.ts", title: "by traces of a library" },
  },
  {
    name: "A program of Python that calls tests loads unittest.",
    file: "packages/verify/src/checks/direct/scripts.ts",
    find: "import importlib.util, inspect, os, sys, time\n",
    replace: "import importlib.util, inspect, os, sys, time, unittest\n",
    test: { file: "packages/verify/test/direct.test.ts", title: "pytest by unittest" },
  },
];
