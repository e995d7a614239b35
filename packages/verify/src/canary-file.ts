import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import {
  AVA_FALSEHOODS,
  assertionsIn,
  JAVASCRIPT_FALSEHOODS,
  PYTHON_FALSEHOODS,
} from "./falsehoods.ts";

/** Tests of ours that must fail, as a file beside the project's own tests. */
export interface Canary {
  path: string;
  text: string;
  /** Parts of the names by which the report has to call them failed. */
  titles: string[];
}

/** Lines by which a test file loads its runner, its assertions and what it tests, in JavaScript and TypeScript. */
const LOADING =
  /^(import\b.*|(const|let|var)\b.*\brequire\(.*|.*\brequire\(["'][^"']+["']\);?\s*)$/;

/**
 * False assertions in the dialect of the runner, made like one of the project's own test files: it loads what that file
 * loads, so what the sources do to the assertions is done to it as well. One test holds a single false assertion. A
 * second one, where the language has such a list, makes every kind of false assertion and fails only if all of them did.
 * Null for a runner whose dialect is not known.
 */
export function makeCanary(report: string, path: string, text: string): Canary | null {
  const name = `k${randomBytes(6).toString("hex")}`;
  const place = neighbour(path, name);
  const body = place === null ? undefined : CANARY_WRITERS[report]?.(text, name);
  if (place === null || body == null) return null;
  const titles = [name, everyOf(name)].filter((title) => body.includes(title));
  const unchecked = /\.[cm]?tsx?$/.test(path) ? "// @ts-nocheck\n" : "";
  return { path: place, text: `${unchecked}${body}`, titles };
}

/** Files that assert by the same functions need one canary. */
export const assertsBy = (text: string): string => assertionsIn(text).join(" ");

/** What the second test is called. */
const everyOf = (name: string) => `every_${name.slice(1)}`;

/** The same folder and the same pattern of name, so that the runner finds it. */
function neighbour(path: string, name: string): string | null {
  const match = /^(test_|Test)?(.*?)((?:[._-](?:test|spec)|_test|Test|Tests|_spec)?\.\w+)$/.exec(
    basename(path),
  );
  return match && join(dirname(path), `${match[1] ?? ""}${name}${match[3]}`);
}

type CanaryWriter = (sample: string, name: string) => string | null;

const CANARY_WRITERS: Readonly<Record<string, CanaryWriter>> = {
  "node-test": (sample, name) => javascript(sample, name, ["test", "it"]),
  vitest: (sample, name) => javascript(sample, name, ["test", "it"]),
  jest: (sample, name) => javascript(sample, name, ["test", "it"]),
  mocha: (sample, name) => javascript(sample, name, ["it"]),
  ava,
  bun: (sample, name) => javascript(sample, name, ["test", "it"]),
  tape: (sample, name) => testOfTap(sample, name, importedAs(sample, "tape") ?? "test"),
  tap(sample, name) {
    const root = importedAs(sample, "tap");
    return testOfTap(sample, name, root ? `${root}.test` : "test");
  },
  uvu,
  // Ruby: a class like the file's own.
  minitest(sample, name) {
    const parent = /^\s*class \w+ *< *([\w:]+)/m.exec(sample)?.[1];
    if (parent === undefined) return null;
    const loading = sample.split("\n").filter((line) => /^require(_relative)?\b/.test(line));
    return `${loading.join("\n")}\n\nclass ${name.toUpperCase()} < ${parent}\n  def test_${name}\n    assert_equal 1, 2\n  end\nend\n`;
  },
  bats(sample, name) {
    const loading = sample.split("\n").filter((line) => /^(load|bats_load_library)\b/.test(line));
    return `#!/usr/bin/env bats\n${loading.join("\n")}\n\n@test "${name}" {\n  [ 1 -eq 2 ]\n}\n`;
  },
  pytest: (sample, name) =>
    `${pythonLoading(sample)}\n\ndef test_${name}():\n    assert 1 == 2\n\n${PYTHON_FALSEHOODS}\n\ndef test_${everyOf(name)}():\n    every_falsehood()\n`,
  unittest: (sample, name) =>
    `${pythonLoading(sample)}\n${PYTHON_FALSEHOODS}\n\nclass ${name.toUpperCase()}(unittest.TestCase):\n    def test_${name}(self):\n        self.assertEqual(1, 2)\n\n    def test_${everyOf(name)}(self):\n        every_falsehood()\n`,
  go(sample, name) {
    const clause = /^package \w+/m.exec(sample)?.[0];
    if (clause === undefined) return null;
    return `${clause}\n\nimport "testing"\n\nfunc Test_${name}(t *testing.T) {\n\tt.Errorf("1 is not 2")\n}\n`;
  },
  // An integration test: a crate of its own.
  cargo: (sample, name) =>
    sample.includes("mod tests")
      ? null
      : `${
          sample
            .match(/^use .*;$/gm)
            ?.map((line) => `#[allow(unused_imports)]\n${line}`)
            .join("\n") ?? ""
        }\n\n#[test]\nfn ${name}() {\n    assert_eq!(1, 2);\n}\n`,
};

/** The word that begins a test is the file's own where it names one, else the runner's global. */
function javascript(sample: string, name: string, words: readonly string[]): string {
  const loading = sample.split("\n").filter((line) => LOADING.test(line));
  const word = words.find((one) => new RegExp(`\\b${one}\\(`).test(sample)) ?? words[0];
  const every = assertionsIn(sample).flatMap((library) => JAVASCRIPT_FALSEHOODS[library]);
  return [
    ...loading,
    "",
    `${word}("${name}", () => {\n  ${falsehood(sample)}\n});`,
    `${word}("${everyOf(name)}", async () => {`,
    "  for (const isFalse of [",
    ...every.map((one) => `    async () => { ${one} },`),
    "  ]) {",
    "    let held = false;",
    "    try { await isFalse(); held = true; } catch {}",
    "    if (held) return;",
    "  }",
    '  throw new Error("Every false assertion fails.");',
    "});",
    "",
  ].join("\n");
}

/** Its assertions belong to one test, and do not throw. */
function testOfTap(sample: string, name: string, test: string): string {
  const loading = sample.split("\n").filter((line) => LOADING.test(line));
  return [
    ...loading,
    "",
    `${test}("${name}", (t) => {\n  t.equal(1, 2);\n  t.end();\n});`,
    "",
  ].join("\n");
}

/** The name under which a file has the default export of a module. */
function importedAs(sample: string, module: string): string | undefined {
  const pattern = `(?:import|const|let|var)\\s+(\\w+)\\s*(?:from|=\\s*require\\()\\s*["']${module}["']`;
  return new RegExp(pattern).exec(sample)?.[1];
}

/** A suite of its own, for the file's own ones are begun and ended in it. */
function uvu(sample: string, name: string): string | null {
  const loading = sample.split("\n").filter((line) => LOADING.test(line));
  const from = loading.find((line) => /["']uvu["']/.test(line)) ?? "";
  const word = /\b(suite|test)\b/.exec(from)?.[1];
  if (word === undefined) return null;
  const made = word === "suite" ? ["const canary = suite();"] : [];
  const test = word === "suite" ? "canary" : "test";
  const wrong = /\bassert\.is\(/.test(sample) ? "assert.is(1, 2);" : falsehood(sample);
  return [
    ...loading,
    "",
    ...made,
    `${test}("${name}", () => {\n  ${wrong}\n});`,
    `${test}.run();`,
    "",
  ].join("\n");
}

/** Its assertions belong to one test, and a false one need not throw. */
function ava(sample: string, name: string): string {
  return [
    ...sample.split("\n").filter((line) => LOADING.test(line)),
    "",
    `test("${name}", (t) => {\n  t.is(1, 2);\n});`,
    `test("${everyOf(name)}", async (t) => {`,
    "  for (const isFalse of [",
    ...AVA_FALSEHOODS.map((one) => `    async (t) => { await t.${one}; },`),
    "  ]) {",
    "    const attempt = await t.try(isFalse);",
    "    attempt.discard();",
    "    if (attempt.passed) return t.pass();",
    "  }",
    '  t.fail("Every false assertion fails.");',
    "});",
    "",
  ].join("\n");
}

/** An assertion that cannot hold, by the function that the file itself uses. */
function falsehood(sample: string): string {
  if (/\bexpect\([^\n]*\)\.to\./.test(sample)) return "expect(1).to.equal(2);";
  if (/\bexpect\(/.test(sample)) return "expect(1).toBe(2);";
  const method = /\bassert\.(strictEqual|deepStrictEqual|equal|deepEqual)\(/.exec(sample)?.[1];
  if (method !== undefined) return `assert.${method}(1, 2);`;
  if (/\b(strictEqual|deepStrictEqual)\(/.test(sample))
    return `${/\b(strictEqual|deepStrictEqual)\(/.exec(sample)?.[1]}(1, 2);`;
  return /\bassert\(/.test(sample) ? "assert(false);" : 'throw new Error("1 is not 2");';
}

function pythonLoading(sample: string): string {
  return sample
    .split("\n")
    .filter((line) => /^(import|from)\b(?!.*\($)/.test(line))
    .join("\n");
}
