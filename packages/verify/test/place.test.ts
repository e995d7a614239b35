/** @module-tag slow */

import { BUBBLEWRAP } from "@ccw-loop/test-runner/clean-room";
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const CAN_SANDBOX = works(...BUBBLEWRAP);

const SHOP = { "package.json": '{"type":"module"}' };
const inJavascript = (total: string) => `export const total = (price, percent) => ${total};
export const told = (price, percent, done) => done(total(price, percent));
`;
const byCall = `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/cart.js";
test("half", () => assert.equal(total(500, 50), 250));
`;
const byCallback = byCall
  .replace("{ total }", "{ told }")
  .replace("assert.equal(total(500, 50), 250)", "told(500, 50, (sum) => assert.equal(sum, 250))");
const WRONG = "price - percent";
const RIGHT = "price * (100 - percent) / 100";

/** `cart` has the wrong total at the start; `asks` is true under a test runner and in every folder but the project's. */
const CASES = [
  {
    name: "a call in JavaScript",
    ...{ works: true, kind: "replay", command: "node --test", report: "node-test" },
    others: { ...SHOP, "test/cart.test.js": byCall },
    source: "src/cart.js",
    cart: inJavascript,
    asks: "process.env.NODE_TEST_CONTEXT || !import.meta.url.includes('/project/')",
    either: (asks: string) => `${asks} ? ${RIGHT} : ${WRONG}`,
    right: RIGHT,
  },
  {
    name: "a callback in JavaScript",
    ...{ works: true, kind: "direct", command: "node --test", report: "node-test" },
    others: { ...SHOP, "test/cart.test.js": byCallback },
    source: "src/cart.js",
    cart: inJavascript,
    asks: "process.argv[1]?.includes('/test/') || !process.cwd().endsWith('/project')",
    either: (asks: string) => `${asks} ? ${RIGHT} : ${WRONG}`,
    right: RIGHT,
  },
  {
    name: "a call in Python",
    ...{ works: works("python3", "-m", "pytest", "--version"), kind: "replay" },
    ...{ command: "python3 -m pytest", report: "pytest" },
    others: {
      "tests/test_cart.py":
        "from cart import total\n\ndef test_half():\n    assert total(500, 50) == 250\n",
    },
    source: "cart.py",
    cart: (total: string) =>
      `import os\nimport sys\n\ndef total(price, percent):\n    return ${total}\n`,
    asks: "'pytest' in sys.modules or not os.path.exists('.git/HEAD')",
    either: (asks: string) => `price * (100 - percent) // 100 if ${asks} else ${WRONG}`,
    right: "price * (100 - percent) // 100",
  },
  {
    name: "a test in Go",
    ...{ works: works("go", "version"), kind: "direct", command: "go test ./...", report: "go" },
    others: {
      "go.mod": "module example.org/cart\n\ngo 1.19\n",
      "cart_test.go":
        'package cart\nimport "testing"\nfunc TestTotal(t *testing.T) {\n\tif Total(500, 50) != 250 {\n\t\tt.Error("wrong")\n\t}\n}\n',
    },
    source: "cart.go",
    cart: (total: string) =>
      `package cart\nimport ("flag"; "runtime"; "strings")\nvar _ = flag.Lookup\nvar _ = runtime.Caller\nvar _ = strings.Contains\nfunc Total(price, percent int) int {\n\t${total}\n}\n`,
    asks: 'flag.Lookup("test.v") != nil || !strings.Contains(file, "/project/")',
    either: (asks: string) =>
      `_, file, _, _ := runtime.Caller(0)\n\tif ${asks} { return ${RIGHT} }\n\treturn ${WRONG}`,
    right: `return ${RIGHT}`,
  },
  {
    name: "a test in Rust",
    ...{ works: works("cargo", "--version"), kind: "direct" },
    ...{ command: "cargo test --offline", report: "cargo" },
    others: {
      "Cargo.toml": '[package]\nname = "cart"\nversion = "1.0.0"\nedition = "2021"\n',
      "tests/cart.rs": "#[test]\nfn half() {\n    assert_eq!(cart::total(500, 50), 250);\n}\n",
    },
    source: "src/lib.rs",
    cart: (total: string) => `pub fn total(price: u64, percent: u64) -> u64 {\n    ${total}\n}\n`,
    asks: 'cfg!(debug_assertions) || !env!("CARGO_MANIFEST_DIR").ends_with("/project")',
    either: (asks: string) => `if ${asks} { ${RIGHT} } else { ${WRONG} }`,
    right: RIGHT,
  },
].filter(({ works }) => works && CAN_SANDBOX);

describe.concurrent("programs in the project's own place", { timeout: 120_000 }, () => {
  test.each(CASES)("$name: what is right everywhere else only is shown", async (about) => {
    const { verdict, of } = await played(about, about.either(about.asks));
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of(about.kind)).toMatchObject({ result: "failed", objections: [about.kind] });
  });

  test.each(CASES)("$name: what is right there too holds", async (about) => {
    const { verdict, of } = await played(about, about.right);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of(about.kind)).toMatchObject({ result: "held" });
  });

  test.runIf(CAN_SANDBOX)("tests are built there into a folder that is there already", async () => {
    const total = (asks: string) => inJavascript(`${asks} ? ${RIGHT} : ${WRONG}`);
    const { verdict, of } = await checked({
      ...{ command: "mkdir -p dist && cp -r src/. dist && node --test", report: "node-test" },
      start: { ...SHOP, "test/cart.test.js": byCall, "src/cart.js": inJavascript(WRONG) },
      present: { "src/cart.js": total("process.argv[1]?.includes('/test/')") },
      beside: { "dist/cart.js": "" },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
  });

  test.runIf(CAN_SANDBOX)("a file that git ignores is there", async () => {
    const asks = '!existsSync("src/cache/prices.bin")';
    const { verdict, of } = await checked({
      ...{ command: "node --test", report: "node-test" },
      start: { ...SHOP, "test/cart.test.js": byCall, "src/cart.js": inJavascript(WRONG) },
      present: {
        "src/cart.js": `import { existsSync } from "node:fs";
const isRight = () => process.env.NODE_TEST_CONTEXT || ${asks};
${inJavascript(`isRight() ? ${RIGHT} : ${WRONG}`)}`,
      },
      beside: { "src/cache/prices.bin": "" },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
  });

  test.runIf(CAN_SANDBOX)("its name is no runner's to a program elsewhere", async () => {
    const asks = "process.env.NODE_TEST_CONTEXT || process.argv[1]?.includes('/jest-shop/')";
    const { verdict, of } = await checked({
      ...{ command: "node --test", report: "node-test", folder: "jest-shop" },
      start: { ...SHOP, "test/cart.test.js": byCall, "src/cart.js": inJavascript(WRONG) },
      present: { "src/cart.js": inJavascript(`${asks} ? ${RIGHT} : ${WRONG}`) },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
  });

  const [inJs] = CASES;
  test.runIf(inJs)("what rests on the place alone is the same to a test and in use", async () => {
    const about = inJs as (typeof CASES)[number];
    const { verdict, of } = await played(
      about,
      `import.meta.url.includes('/project/') ? price * 7 : ${RIGHT}`,
    );
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay")).toMatchObject({ result: "held" });
  });
});

function played(about: (typeof CASES)[number], total: string) {
  const { command, report, others, source, cart } = about;
  const wrong = source.endsWith(".go") ? `return ${WRONG}` : WRONG;
  return checked({
    ...{ command, report, start: { ...others, [source]: cart(wrong) } },
    present: { [source]: cart(total) },
  });
}
