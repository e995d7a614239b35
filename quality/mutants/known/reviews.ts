import type { Mutant } from "../mutant.ts";

const RULES = "packages/core/test/reviews.test.ts";
const LOOPS = "packages/orchestrator/test/reviews.test.ts";

/** A second opinion: it can only object, and nobody reads its tests. */
export const mutants: Mutant[] = [
  {
    name: "A loop whose operator asked for a review is done without one.",
    file: "packages/core/src/machine/select.ts",
    find: "return isJudged && !lacksReview(state, state.receipts?.at(-1));",
    replace: "return isJudged;",
    test: { file: RULES, title: "is proven by nothing that a reviewer says" },
  },
  {
    name: "A review that was not made counts as one that found nothing.",
    file: "packages/core/src/proof/reviews.ts",
    find: "...(newest?.problem === undefined ? [] : [missing(newest, tree)]),",
    replace: "",
    test: { file: LOOPS, title: "makes no loop done" },
  },
  {
    name: "The tests of a reviewer lie readable in the state of the loop.",
    file: "packages/orchestrator/src/proof/review.ts",
    find: "text: hideText(text, key)",
    replace: "text",
    test: { file: LOOPS, title: "is green for an honest repair" },
  },
  {
    name: "A test of a reviewer is written through a link out of the clean room.",
    file: "packages/orchestrator/src/proof/review-tests.ts",
    find: "if (real !== top && !real.startsWith(",
    replace: 'if (real === "" && !real.startsWith(',
    test: { file: LOOPS, title: "behind a link" },
  },
];
