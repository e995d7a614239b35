import type { Mutant } from "../mutant.ts";

const RED_TESTS = "packages/cli/test/red-tests.test.ts";

export const mutants: Mutant[] = [
  {
    name: "An answer about red tests takes the place of what --known-red said.",
    file: "packages/orchestrator/src/actions/init.ts",
    find: "const known_red = [...(current.settings?.known_red ?? []), ...patterns];",
    replace: "const known_red = [...patterns];",
    test: { file: RED_TESTS, title: "an answer adds to what a flag excepts" },
  },
  {
    name: "A loop under --auto waits for an answer about red tests.",
    file: "packages/orchestrator/src/actions/init.ts",
    find: 'const ask = modeOf(state) === "interactive" ? ctx.askKnownRed : undefined;',
    replace: "const ask = ctx.askKnownRed;",
    test: { file: RED_TESTS, title: "with --auto nobody is asked, also in a terminal" },
  },
  {
    name: "To except a red test by its number excepts others whose names it is a part of.",
    file: "packages/cli/src/views/red-tests.ts",
    find: "one.includes(id)).length === 1 ?",
    replace: "one.includes(id)).length > 0 ?",
    test: { file: RED_TESTS, title: "excepts the red tests" },
  },
];
