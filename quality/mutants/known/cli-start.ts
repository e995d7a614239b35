import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
  {
    name: "A test of a tool runs where only a shim of the tool is installed.",
    file: "packages/testkit/src/process/works.ts",
    find: 'return spawnSync(program, args, { stdio: "ignore" }).status === 0;',
    replace: 'return spawnSync(program, args, { stdio: "ignore" }).error === undefined;',
    test: {
      file: "packages/testkit/test/process/works.test.ts",
      title: "fails, as a shim without a toolchain does",
    },
  },
];
