import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
  {
    name: "Old revisions are let go of before the journal that tells of them is on the disk.",
    file: "packages/store-fs/src/publish/publish.ts",
    find: "  await disk.syncFile(paths.journal);\n",
    replace: "",
    test: {
      file: "packages/store-fs/test/commits.test.ts",
      title: "the journal is on the disk before a revision is let go of",
    },
  },
];
