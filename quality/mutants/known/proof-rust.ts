import type { Mutant } from "../mutant.ts";

const CHECKS = "packages/verify/src";
const DIRECT = "packages/verify/test/direct-rust.test.ts";
const INSIDE = "packages/core/test/inside-tests.test.ts";
const FILES = "packages/orchestrator/test/square-files.test.ts";

/** Whether Rust's sources do for users what they do for tests. */
export const mutants: Mutant[] = [
  {
    name: "An example beside the one of the start in the same text stays there.",
    file: "packages/core/src/proof/doc-tests.ts",
    find: "lines.fill([], from, to);",
    replace: "if (n === 0) lines.fill([], from, to);",
    test: { file: INSIDE, title: "are those of the other text" },
  },
  {
    name: "The present tests inside of a source decide.",
    file: "packages/orchestrator/src/proof/square.ts",
    find: "run(overlay(paths, laid))",
    replace: "run(overlay(paths))",
    test: {
      file: "packages/orchestrator/test/proof.test.ts",
      title: "tests inside of a source are those of the start in the verdict",
    },
  },
  {
    name: "Items that end with a semicolon are taken for blocks up to the next closing brace.",
    file: "packages/core/src/proof/rust-text.ts",
    find: 'if (depth === 0 && (sign === ";" || (sign === "}" && isBraced))) return n + 1;',
    replace: 'if (depth === 0 && sign === "}") return n + 1;',
    test: { file: INSIDE, title: "an item that ends with a semicolon" },
  },
  {
    name: "Tests that are commented out are taken for tests.",
    file: "packages/core/src/proof/rust-text.ts",
    find: '  if (text.startsWith("/*", at)) return { end: endOfComment(text, at), filler: " " };',
    replace: "",
    test: { file: INSIDE, title: "are not kept where they are commented out" },
  },
  {
    name: "Rust's tests are not started directly.",
    file: `${CHECKS}/direct/starts.ts`,
    find: "  cargo: RUST,\n",
    replace: "",
    test: { file: DIRECT, title: "show sources that ask for tests in whichever way" },
  },
  {
    name: "Rust's tests are called in programs that show by names where they are called from.",
    file: `${CHECKS}/direct/cargo.ts`,
    find: `'strip=\\\\"symbols\\\\"'`,
    replace: `'debug=0'`,
    test: { file: DIRECT, title: "show sources that ask for tests in whichever way" },
  },
  {
    name: "Tests inside of a source are called as they are now.",
    file: `${CHECKS}/direct/rust-tests.ts`,
    find: "const owner = keepsTests(start, present) ? start : present;",
    replace: "const owner = present;",
    test: { file: DIRECT, title: "tests that ask something else" },
  },
  {
    name: "New conditions of the sources are taken as in a test.",
    file: `${CHECKS}/direct/rust-tests.ts`,
    find: "all.length <= (known.get(key)?.length ?? 0)",
    replace: "known.size >= 0 && all.length > 0",
    test: { file: DIRECT, title: "show a function that is there for tests alone" },
  },
  {
    name: "What can be built only for tests is excused where the start cannot be built either.",
    file: `${CHECKS}/direct/direct.ts`,
    find: "!bad.has(suite) || !(unbuilt.has(suite) || run.has(suite))",
    replace: "!bad.has(suite)",
    test: { file: DIRECT, title: "show a function that is there for tests alone" },
  },
  {
    name: "Rust's tests are called by the process that collects their results.",
    file: `${CHECKS}/direct/rust-tests.ts`,
    find: "let process = fork();\n            if process == 0 {",
    replace: "let process = fork();\n            if process != 0 {",
    test: { file: DIRECT, title: "hold what a library does" },
  },
  {
    name: "What tests alone need is missing where ordinary libraries are built.",
    file: `${CHECKS}/direct/cargo.ts`,
    find: "return [text, ...needed.map(dependencyTable), ...examples]",
    replace: "return [text, ...needed.slice(1).map(dependencyTable), ...examples]",
    test: { file: DIRECT, title: "hold what a workspace does" },
  },
  {
    name: "A package that its own tests use needs itself where it is started directly.",
    file: `${CHECKS}/direct/cargo.ts`,
    find: 'one.kind === "dev" && one.path !== folder',
    replace: 'one.kind === "dev"',
    test: { file: DIRECT, title: "hold what a library does" },
  },
  {
    name: "A module that moves to another file may leave its tests behind.",
    file: "packages/orchestrator/src/proof/square-files.ts",
    find: "if (after === null) return others.length > 0 && !moved.some((text) => keepsTests(before, text));",
    replace: "if (after === null) return false;",
    test: { file: FILES, title: "may stand in a new one, as they were" },
  },
  {
    name: "A command that came to no test in the baseline can never be repaired.",
    file: "packages/orchestrator/src/proof/cells.ts",
    find: ".filter(({ command, report }) => report === null || named.has(command))",
    replace: ".filter(({ report }) => report === null)",
    test: { file: FILES, title: "is a test of its own, also where it has a report now" },
  },
];
