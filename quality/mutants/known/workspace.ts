import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
  {
    name: "A suspended owner moves the ref of a recorded checkpoint, and git gc loses its commit.",
    file: "packages/workspace-git/src/checkpoint/checkpoint.ts",
    find: 'const made = ["update-ref", "--no-deref", ref, commit, zeroName(repository)];',
    replace: 'const made = ["update-ref", "--no-deref", ref, commit];',
    test: {
      file: "packages/workspace-git/test/checkpoint.test.ts",
      title: "keeps its ref when an owner that was suspended",
    },
  },
  {
    name: "Ignored files are in a room although they are not what they were.",
    file: "packages/workspace-git/src/clean-room/installed-files.ts",
    find: "now.filter((_, index) => same[index])",
    replace: "now.filter((_, index) => same.length > index)",
    test: {
      file: "packages/workspace-git/test/room.test.ts",
      title: "git: small ignored files",
    },
  },
  {
    name: "Ignored files of a room are newer than its sources.",
    file: "packages/workspace-git/src/clean-room/link-dependencies.ts",
    find: "await utimes(here, atime, mtime);",
    replace: "void [atime, mtime, utimes];",
    test: {
      file: "packages/workspace-git/test/room.test.ts",
      title: "git: small ignored files",
    },
  },
];
