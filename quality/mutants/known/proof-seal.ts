import type { Mutant } from "../mutant.ts";

const RECEIPTS = "packages/orchestrator/test/receipts.test.ts";

/** Receipts and ends of a loop that its driver did not give, and programs that changed outside of the project. */
export const mutants: Mutant[] = [
  {
    name: "COMPLETE rests on a receipt without looking at its seal.",
    file: "packages/orchestrator/src/run/drive.ts",
    find: "if (refused) {",
    replace: "if (refused && tree === null) {",
    test: { file: RECEIPTS, title: "has its tests run where that says that they passed" },
  },
  {
    name: "A loop that another program records as completed while it is driven stays so.",
    file: "packages/orchestrator/src/run/run-loop.ts",
    find: 'state.status === "completed" && !recorder.hasCompleted',
    replace: 'state.status === "completed" && recorder.hasCompleted',
    test: { file: RECEIPTS, title: "is open again where that says that it is completed" },
  },
  {
    name: "What changed outside of the project asks for no further run.",
    file: "packages/core/src/proof/square.ts",
    find: "(terms.testsChanged || terms.surroundingsChanged) &&",
    replace: "terms.testsChanged &&",
    test: {
      file: "packages/core/test/proof-square.test.ts",
      title: "where programs and packages may have changed",
    },
  },
  {
    name: "The time of a file's content says whether it changed; anybody can set it.",
    file: "packages/test-runner/src/clean-room/surroundings.ts",
    find: "-newercm",
    replace: "-newermm",
    test: {
      file: "packages/test-runner/test/surroundings.test.ts",
      title: "what is outside of a project is looked at",
    },
  },
];
