import type { Mutant } from "../mutant.ts";

const SETTLE_CAUSES = "packages/core/test/settle-causes.test.ts";

/** Defects of DEBUG by evidence. */
export const mutants: Mutant[] = [
  {
    name: "A probe whose predictions cannot be told apart is run all the same.",
    file: "packages/core/src/proof/predictions.ts",
    find: "if (excludes(if_holds, if_not, find)) return null;",
    replace: "return null;",
    test: {
      file: "packages/core/test/predictions.test.ts",
      title: "that are equal are sent back",
    },
  },
  {
    name: "A probe that shows the same in an empty folder confirms its hypothesis.",
    file: "packages/core/src/state/hypothesis.ts",
    find: "if (asks_nothing) {",
    replace: "if (asks_nothing && !shows) {",
    test: { file: SETTLE_CAUSES, title: "the same as an empty folder" },
  },
  {
    name: "Green tests settle a cause whose probe shows what it showed before.",
    file: "packages/core/src/machine/settle-causes.ts",
    find: "return flipped ?",
    replace: "return flipped || again ?",
    test: { file: SETTLE_CAUSES, title: "is not settled when its probe still holds" },
  },
];
