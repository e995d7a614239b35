import type { Mutant } from "../mutant.ts";

const RECEIPTS = "packages/cli/test/receipt.test.ts";
const OBJECTIONS = "packages/cli/test/objections.test.ts";

export const mutants: Mutant[] = [
  {
    name: "A receipt counts as sealed by us whatever was edited in it.",
    file: "packages/orchestrator/src/proof/receipt.ts",
    find: 'return timingSafeEqual(own, Buffer.from(mac, "hex")) ? "fits" : "edited";',
    replace: 'return timingSafeEqual(own, Buffer.from(mac, "hex")) ? "fits" : "fits";',
    test: { file: RECEIPTS, title: "with more known red falls" },
  },
  {
    name: "A receipt without a seal is taken for one of an older version, and believed.",
    file: "packages/orchestrator/src/service/verify-receipt.ts",
    find: 'if (state === "fits") return [];',
    replace: 'if (state === "fits" || state === "none") return [];',
    test: { file: RECEIPTS, title: "without a seal falls" },
  },
  {
    name: "A receipt that was sealed with the key of somebody else is believed.",
    file: "packages/orchestrator/src/proof/receipt.ts",
    find: 'if (name !== nameOf(key)) return "other_key";',
    replace: 'if (name !== nameOf(key)) return "fits";',
    test: { file: RECEIPTS, title: "of another user cannot be told until the key is named" },
  },
  {
    name: "The key for receipts can be read by everybody.",
    file: "packages/cli/src/config/seal-key.ts",
    find: 'const file = await open(draft, "wx", 0o600);',
    replace: 'const file = await open(draft, "wx", 0o644);',
    test: {
      file: "packages/cli/test/seal-key.test.ts",
      title: "several that need a key at once end with the same one",
    },
  },
  {
    name: "verify runs the command that a file names.",
    file: "packages/orchestrator/src/service/verify-receipt.ts",
    find: "    command: options.command,\n    isThere: true,",
    replace: "    command: options.command ?? receipt.command,\n    isThere: true,",
    test: { file: RECEIPTS, title: "run by the command of the start's files" },
  },
  {
    name: "verify does not look at what lies in the repository.",
    file: "packages/orchestrator/src/service/locate-square-files.ts",
    find: "if (tree !== square.present.tree) {",
    replace: "if (tree === null) {",
    test: { file: RECEIPTS, title: "a file falls where one line of a source is another" },
  },
  {
    name: "A receipt falls where its start is not in the repository, although nobody can tell.",
    file: "packages/orchestrator/src/service/rerun-proof.ts",
    find: 'problems.length === 0 ? "stands" : isMissing ? "unknown" : "falls"',
    replace: 'problems.length === 0 ? "stands" : isMissing ? "falls" : "falls"',
    test: { file: RECEIPTS, title: "cannot tell where the start is not" },
  },
  {
    name: "Who takes the mark out of its environment counts as the operator.",
    file: "packages/processes/src/origin.ts",
    find: "const chain = parentsOf(process.pid);",
    replace: "const chain = parentsOf(process.pid).slice(0, 1);",
    test: { file: OBJECTIONS, title: "an agent that gives an operator's commands is refused" },
  },
  {
    name: "What an agent left behind without parent and environment answers for the operator.",
    file: "packages/cli/src/runtime/operator-origin.ts",
    find: "if (orphanedAt === null) return;",
    replace: "if (orphanedAt !== undefined) return;",
    test: { file: OBJECTIONS, title: "a program that an agent left behind" },
  },
  {
    name: "An agent answers for a loop of another project.",
    file: "packages/cli/src/runtime/operator-origin.ts",
    find: "Date.parse(created_at) < workSince.getTime()",
    replace: "workSince.getTime() === 0",
    test: { file: OBJECTIONS, title: "an agent answers for no loop of another project" },
  },
  {
    name: "An allowed change of one test file excuses the tests of all others.",
    file: "packages/orchestrator/src/proof/square-files.ts",
    find: "if (file !== undefined) return isAllowed(file);",
    replace: "if (file !== undefined) return allowed.length > 0;",
    test: { file: OBJECTIONS, title: "waits when only the path of another one was allowed" },
  },
];
