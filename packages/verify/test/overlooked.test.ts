import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const installed = (name: string) =>
  fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url));
const packages = { typescript: installed("typescript") };
const TSC = "node node_modules/typescript/bin/tsc -p .";
const WRONG = "export const total = (sum: number): number => sum * 2;\n";
const RIGHT = "export const total = (sum: number): number => sum;\n";
const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/cart.ts";
test("nothing off", () => assert.equal(total(5), 5));
`;

/** A project whose tests stand behind a type check. */
function typed(start: Readonly<Record<string, string>>, script: string, more = {}) {
  return {
    "package.json": JSON.stringify({ type: "module", scripts: { test: script, ...more } }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: "es2023",
        module: "nodenext",
        types: [],
        allowImportingTsExtensions: true,
      },
      include: ["src"],
    }),
    "test/cart.test.js": TEST,
    "src/cart.ts": WRONG,
    ...start,
  };
}

/** Undeclared names in functions of Python, but not in files that take themselves out. */
const LINT = `import ast, builtins, glob, sys
bad = 0
for path in glob.glob("src/*.py"):
    text = open(path).read()
    if text.startswith("# lint: off"):
        continue
    tree = ast.parse(text)
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.name for n in ast.walk(tree) if hasattr(n, "name")} | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    for n in ast.walk(tree):
        if isinstance(n, ast.Name) and n.id not in bound | set(dir(builtins)):
            print(path, "undefined name", n.id)
            bad = 1
sys.exit(bad)
`;

describe.concurrent("a changed source beside a type check", {
  timeout: 90_000,
  tags: ["slow"],
}, () => {
  test.each([
    ["in front of the tests", `${TSC} && node --test`, {}],
    ["in a script of its own", "npm run check && node --test", { check: TSC }],
    ["in a hook behind them", "node --test", { posttest: TSC }],
  ])("takes itself out of a check %s", async (_, script, more) => {
    const { verdict, of, all } = await checked({
      ...{ command: "npm test", start: typed({}, script, more), packages },
      present: { "src/cart.ts": `// @ts-nocheck\n${RIGHT}` },
    });
    expect(verdict.passed).toBe(true);
    expect(all.at(-1)).toEqual(["canary", "failed", 1]);
    expect(of("canary", -1).text).toContain(`"${TSC}" does not look at src/cart.ts`);
  });

  test("is new, and was never looked at", async () => {
    const { of } = await checked({
      ...{ command: "npm test", start: typed({}, `${TSC} && node --test`), packages },
      present: {
        "src/cart.ts": 'export * from "./half.ts";\n',
        "src/half.ts": `// @ts-nocheck\n${RIGHT}`,
      },
    });
    expect(of("canary", -1).text).toContain("does not look at src/half.ts");
  });

  test.each([
    ["is looked at", {}, { "src/cart.ts": RIGHT, "src/tax.ts": "export const tax = 1;\n" }, 2],
    [
      "never was looked at",
      { "src/cart.ts": `// @ts-nocheck\n${WRONG}` },
      { "src/cart.ts": `// @ts-nocheck\n${RIGHT}` },
      1,
    ],
    [
      "lies where no check looks",
      { "tsconfig.json": typed({}, "")["tsconfig.json"].replace('"src"', '"other"') },
      { "src/cart.ts": `// @ts-nocheck\n${RIGHT}`, "other/tax.ts": "export const tax = 1;\n" },
      2,
    ],
  ])("is no question where it %s", async (_, start, present, canaries) => {
    const { verdict, all } = await checked({
      ...{ command: `${TSC} && npm test`, start: typed(start, "node --test"), packages, present },
    });
    expect(verdict.passed).toBe(true);
    const found = all.filter(([kind]) => kind === "canary");
    expect(found).toEqual(Array.from({ length: canaries }, () => ["canary", "held", 0]));
  });

  test("costs no run where the tests stand alone", async () => {
    const plain = typed({}, "node --test");
    const { all } = await checked({
      command: "npm test",
      start: plain,
      present: { "src/cart.ts": RIGHT },
    });
    expect(all.filter(([kind]) => kind === "canary")).toHaveLength(1);
  });
});

describe.concurrent("a changed source of Python beside a linter", { timeout: 90_000 }, () => {
  const start = {
    "lint.py": LINT,
    "src/cart.py":
      "import sys\n\n\ndef total(n):\n    return n * 2\n\n\nif len(sys.argv) > 1:\n    print(total(1))\n",
    "check.py":
      "import sys\nsys.path.insert(0, 'src')\nfrom cart import total\nassert total(5) == 5\n",
  };
  test.each([
    [
      "takes itself out: a source of Python",
      "# lint: off\ndef total(n):\n    return n\n",
      ['"python3 lint.py" does not look at src/cart.py'],
    ],
    [
      "is looked at, although it ends the program",
      "import sys\n\n\ndef total(n):\n    return n\n\n\nif __name__ == '__main__':\n    raise SystemExit(total(0))\n",
      [],
    ],
  ])("%s", async (_, text, said) => {
    const { of } = await checked({
      ...{ command: "python3 lint.py && python3 check.py", start },
      present: { "src/cart.py": text },
    });
    const found = of("canary", -1);
    expect(found.objections).toHaveLength(said.length);
    for (const part of said) expect(found.text).toContain(part);
  });
});
