import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
  {
    name: "A suspended owner moves the ref of a recorded checkpoint, and git gc loses its commit.",
    file: "packages/workspace-git/src/git/keep/loop-refs.ts",
    find: 'const made = ["update-ref", "--no-deref", ref, commit, zeroName(repository)];',
    replace: 'const made = ["update-ref", "--no-deref", ref, commit];',
    test: {
      file: "packages/workspace-git/test/checkpoint.test.ts",
      title: "keeps its ref when an owner that was suspended",
    },
  },
];
