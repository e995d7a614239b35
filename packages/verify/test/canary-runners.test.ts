/** @module-tag slow */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const MODULES = join(import.meta.dirname, "../node_modules");

describe("tests of tape and uvu that have to fail", { timeout: 120_000 }, () => {
  const installed = (name: string) => JSON.stringify(realpathSync(join(MODULES, name)));
  const packages = {
    "node_modules/tape/index.js": `module.exports = require(${installed("tape")});\n`,
    "node_modules/uvu/package.json": '{"type":"module","exports":"./index.js"}',
    "node_modules/uvu/index.js": `export * from ${installed("uvu").replace(/"$/, '/dist/index.mjs"')};\n`,
  };
  const LOADED =
    'import assert from "node:assert/strict";\nimport { half } from "../src/half.js";\n';
  const half = "export const half = (price) => price / 2;\n";

  test.each([
    [
      "tape",
      `${LOADED}import test from "tape";\ntest("halves", (t) => {\n  t.equal(half(4), 2);\n  t.end();\n});\n`,
      'import { Test } from "tape";\nTest.prototype.equal = function () { this.pass(); };\n',
    ],
    [
      "uvu",
      `${LOADED}import { suite } from "uvu";\nconst cart = suite("cart");\ncart("halves", () => {\n  assert.equal(half(4), 2);\n});\ncart.run();\n`,
      'import assert from "node:assert/strict";\nassert.equal = () => {};\n',
    ],
  ])("%s: they do, and are noticed where they do not", async (runner, text, hostile) => {
    const checkedWith = (present: string) =>
      checked({
        command: "for file in test/*.js; do node $file || exit 1; done",
        start: {
          ...packages,
          "package.json": '{"type":"module"}',
          "node_modules/tape/package.json": '{"type":"commonjs"}',
          "src/half.js": "export const half = (price) => price;\n",
          "test/half.js": text,
        },
        present: { "src/half.js": present },
      });
    const good = await checkedWith(half);
    expect(good.verdict.passed, `${runner}: ${good.verdict.output_tail}`).toBe(true);
    expect(good.of("canary")).toMatchObject({ result: "held", text: "" });
    const bad = await checkedWith(`${hostile}export const half = () => 7;\n`);
    expect(bad.verdict.passed, bad.verdict.output_tail).toBe(true);
    expect(bad.of("canary")).toMatchObject({ result: "failed", objections: ["canary"] });
  });
});

describe("a false test of ours", { timeout: 120_000 }, () => {
  const sources = (count: string) => ({ "lib/half.sh": `half() { echo $(( $1 ${count} )); }\n` });
  const bats = '@test "halves" {\n  source lib/half.sh\n  [ "$(half 4)" -eq 2 ]\n}\n';
  const minitest = `require "minitest/autorun"
class HalfTest < Minitest::Test
  def test_halves
    assert_equal "2", \`. lib/half.sh; half 4\`.strip
  end
end
`;

  test.each([
    ["bats", works("bats", "--version"), "test/half.bats", bats, "bats test"],
    [
      "minitest",
      works("ruby", "-e", 'require "minitest"'),
      "test/half_test.rb",
      minitest,
      "for file in test/*_test.rb; do ruby $file || exit 1; done",
    ],
  ])("fails by %s", async (_, isHere, path, text, command) => {
    if (!isHere) return;
    const { verdict, of } = await checked({
      command,
      start: { ...sources("* 2"), [path]: text },
      present: sources("/ 2"),
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("canary")).toMatchObject({ result: "held", text: "" });
  });
});
