import type { Mutant } from "../mutant.ts";

/** What others changed while a loop worked. */
export const mutants: Mutant[] = [
  {
    name: "Tests that others changed meanwhile judge the work.",
    file: "packages/orchestrator/src/proof/square.ts",
    find: "const externalSources = [...theirs.sources, ...theirs.both, ...theirs.allowed];",
    replace: "const externalSources = outside.map(({ path }) => path);",
    test: {
      file: "packages/orchestrator/test/outside.test.ts",
      title: "prove nothing by themselves",
    },
  },
];
