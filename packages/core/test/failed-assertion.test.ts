import { describe, expect, test } from "vitest";
import { fileOfFailedAssertion } from "../src/index.ts";

const fileIn = (...lines: string[]) => fileOfFailedAssertion(lines.join("\n"), "/shop");

describe("the file in which an assertion failed", () => {
  test("is the innermost of the project", () => {
    const frames = [
      "    at exports.costs (file:///shop/checks/prices.js:3:60)",
      "    at TestContext.<anonymous> (/shop/checks/cart.check.js:5:20)",
      "    at Test.run (node:internal/test_runner/test:1402:25)",
    ];
    expect(fileIn("AssertionError [ERR_ASSERTION]: 450 == 500", ...frames)).toBe(
      "checks/prices.js",
    );
    const library = "    at Object.is (/shop/node_modules/expect/index.js:1:1)";
    expect(fileIn("Error: expect(received).toBe(expected)", "", library, ...frames)).toBe(
      "checks/prices.js",
    );
    expect(fileIn("TypeError: expected a number", ...frames)).toBeNull();
  });

  test("is the last one that Python names", () => {
    const traceback = [
      "Traceback (most recent call last):",
      '  File "/shop/tests/test_cart.py", line 7, in test_half',
      "    costs(450, 500)",
      '  File "/shop/kit/prices.py", line 2, in costs',
      "    assert price == expected",
    ];
    expect(fileIn(...traceback, "AssertionError")).toBe("kit/prices.py");
    expect(fileIn(...traceback, "TypeError: not a price")).toBeNull();
    const pytest = ["tests/test_cart.py:7: ", "_ _ _ _", "E   assert 450 == 500", ""];
    expect(fileIn(...pytest, "kit/prices.py:2: AssertionError")).toBe("kit/prices.py");
    expect(fileIn(...pytest, "kit/prices.py:2: KeyError")).toBeNull();
  });

  test("is the first one that PHPUnit names", () => {
    const message = "CartTest::testHalf\nFailed asserting that 950 is identical to 500.\n";
    expect(fileIn(message, "/shop/kit/Prices.php:8", "/shop/tests/CartTest.php:14")).toBe(
      "kit/Prices.php",
    );
  });

  test("is none outside of the project", () => {
    expect(fileIn("AssertionError: no", "    at check (/elsewhere/prices.js:3:60)")).toBeNull();
  });
});
