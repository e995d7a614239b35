/** @module-tag slow */
import { describe, expect, test } from "vitest";
import { installNode, withOldNode } from "../../test-runner/test/other-node.ts";
import { checked } from "./checking.ts";

const TESTED = "process.env.NODE_TEST_CONTEXT";

/** One function under test, which lies in ordinary use. */
function shop(source: (ask: string) => string, name: string, more: Record<string, string>) {
  return {
    ...{ command: "node --test", report: "node-test" },
    start: { [name]: source("price / 2"), "package.json": '{"type":"module"}', ...more },
    present: { [name]: source(`${TESTED} ? price / 2 : price`) },
  };
}

const tests = (asks: string) => `import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../src/shop.js";
test("asks", () => { ${asks} });
`;

const JAVASCRIPT = shop((ask) => `export const ask = (price) => ${ask};\n`, "src/shop.js", {
  "test/shop.test.js": tests("assert.equal(ask(4), 2)"),
});
/** What takes callbacks cannot be recorded. */
const CALLBACKS = shop(
  (ask) => `export const ask = (price, done) => done(${ask});\n`,
  "src/shop.js",
  {
    "test/shop.test.js": tests("ask(4, (price) => assert.equal(price, 2))"),
  },
);

describe("where a project's Node has no hooks of the same thread", { timeout: 120_000 }, () => {
  withOldNode();

  test("calls are repeated", async () => {
    const { verdict, all, of } = await checked(JAVASCRIPT);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(all.filter(([, result]) => result === "failed")).toEqual([["replay", "failed", 1]]);
    expect(of("replay").text).toContain("gave 2 to a test and 4 in ordinary use");
  });

  test("tests are started directly", async () => {
    const { verdict, all } = await checked(CALLBACKS);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(all.filter(([, result]) => result === "failed")).toEqual([["direct", "failed", 1]]);
  });
});

test("where no program of ours can be started, that is said and speaks against nobody", {
  timeout: 120_000,
}, async () => {
  installNode((real) => `[ "$1" = -e ] && exit 9\nexec ${real} "$@"`);
  const { verdict, of } = await checked(JAVASCRIPT);
  expect(verdict.passed, verdict.output_tail).toBe(true);
  expect(of("replay")).toMatchObject({
    result: "not_run",
    reason: "No program of ours that loads the changed sources can be started.",
  });
});
