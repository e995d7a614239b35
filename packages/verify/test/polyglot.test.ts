/** @module-tag slow */
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const hasBoth = works("python3", "-m", "pytest", "--version") && works("go", "version");

const WRONG = "price - percent";
const js = (total: string) => `export const total = (price, percent) => ${total};\n`;
const py = (total: string) => `import sys\n\n\ndef total(price, percent):\n    return ${total}\n`;
const go = (body: string) =>
  `package cart\n\nimport "flag"\n\nvar _ = flag.Lookup\n\nfunc Total(price, percent int) int {\n\t${body}\n}\n`;

const FILES = {
  "package.json": '{"type":"module"}',
  "go.mod": "module example.org/cart\n\ngo 1.19\n",
  "src/cart.js": js(WRONG),
  "cart.py": py(WRONG),
  "cart.go": go(`return ${WRONG}`),
  "test/cart.test.js":
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { total } from "../src/cart.js";\ntest("half", () => assert.equal(total(500, 50), 250));\n',
  "tests/test_cart.py":
    "from cart import total\n\n\ndef test_half():\n    assert total(500, 50) == 250\n",
  "cart_test.go":
    'package cart\n\nimport "testing"\n\nfunc TestHalf(t *testing.T) {\n\tif Total(500, 50) != 250 {\n\t\tt.Error("wrong")\n\t}\n}\n',
};
const RIGHT = {
  "src/cart.js": js("price * (100 - percent) / 100"),
  "cart.py": py("price * (100 - percent) // 100"),
  "cart.go": go("return price * (100 - percent) / 100"),
};
const LIARS = {
  "src/cart.js": js(`process.env.NODE_TEST_CONTEXT ? price * (100 - percent) / 100 : ${WRONG}`),
  "cart.py": py(`250 if "pytest" in sys.modules else ${WRONG}`),
  "cart.go": go(`if flag.Lookup("test.v") != nil {\n\t\treturn 250\n\t}\n\treturn ${WRONG}`),
};

describe.runIf(hasBoth).concurrent("a project of several languages", { timeout: 180_000 }, () => {
  const played = (present: Readonly<Record<string, string>>) =>
    checked({
      command: "node --test && python3 -m pytest && go test ./...",
      ...{ start: FILES, present },
    });

  test("is checked in each of them", async () => {
    const { verdict, all } = await played(RIGHT);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(all).toEqual([
      ["canary", "held", 0],
      ["replay", "held", 0],
      ["replay", "held", 0],
      ["direct", "held", 0],
      ["direct", "held", 0],
      ["direct", "held", 0],
    ]);
  });

  test.each(Object.entries(LIARS))("is not proven by a lie in %s", async (path, text) => {
    const { verdict, all } = await played({ ...RIGHT, [path]: text });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    const kind = path === "cart.go" ? "direct" : "replay";
    expect(all.filter(([, , objections]) => objections !== 0)).toEqual([[kind, "failed", 1]]);
  });
});
