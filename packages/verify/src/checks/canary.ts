import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";

/** A test of ours that must fail, as a file beside the project's own tests. */
export interface Canary {
  path: string;
  text: string;
  /** A part of the name by which the report has to call it failed. */
  title: string;
}

/** Lines by which a test file loads its runner, its assertions and what it tests, in JavaScript and TypeScript. */
const LOADING =
  /^(import\b.*|(const|let|var)\b.*\brequire\(.*|.*\brequire\(["'][^"']+["']\);?\s*)$/;

/**
 * A false assertion in the dialect of the runner, made like one of the project's own test files: it loads what that file
 * loads, so what the sources do to the assertions is done to it as well. Null for a runner whose dialect is not known.
 */
export function canaryLike(report: string, path: string, text: string): Canary | null {
  const name = `k${randomBytes(6).toString("hex")}`;
  const make = DIALECTS[report];
  const place = neighbour(path, name);
  const body = place === null ? null : make?.(text, name);
  return place === null || body == null ? null : { path: place, text: body, title: name };
}

/** The same folder and the same pattern of name, so that the runner finds it. */
function neighbour(path: string, name: string): string | null {
  const match = /^(test_|Test)?(.*?)((?:[._-](?:test|spec)|_test|Test|Tests|_spec)?\.\w+)$/.exec(
    basename(path),
  );
  return match && join(dirname(path), `${match[1] ?? ""}${name}${match[3]}`);
}

type Dialect = (sample: string, name: string) => string | null;

const DIALECTS: Readonly<Record<string, Dialect>> = {
  "node-test": (sample, name) => javascript(sample, name, ["test", "it"]),
  vitest: (sample, name) => javascript(sample, name, ["test", "it"]),
  jest: (sample, name) => javascript(sample, name, ["test", "it"]),
  mocha: (sample, name) => javascript(sample, name, ["it"]),
  bun: (sample, name) => javascript(sample, name, ["test", "it"]),
  pytest: (sample, name) => `${pythonLoading(sample)}\n\ndef test_${name}():\n    assert 1 == 2\n`,
  unittest: (sample, name) =>
    `${pythonLoading(sample)}\nimport unittest\n\n\nclass ${name.toUpperCase()}(unittest.TestCase):\n    def test_${name}(self):\n        self.assertEqual(1, 2)\n`,
  go(sample, name) {
    const clause = /^package \w+/m.exec(sample)?.[0];
    if (clause === undefined) return null;
    return `${clause}\n\nimport "testing"\n\nfunc Test${name}(t *testing.T) {\n\tt.Errorf("1 is not 2")\n}\n`;
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
  return `${loading.join("\n")}\n\n${word}("${name}", () => {\n  ${falsehood(sample)}\n});\n`;
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
