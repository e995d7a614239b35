import { describe, expect, test } from "vitest";
import { outline, parse, recorded } from "./parse.ts";

describe("jest-json", () => {
  test("reads vitest's report, with a file that failed as a whole", () => {
    const report = parse("jest-json", recorded("vitest.json.txt"));
    expect(report.damage).toBeNull();
    expect(outline(report)).toEqual([
      "src/bill.test.ts: bill > rounds = failed",
      "src/store.test.ts: (file) = failed",
      "src/bill.test.ts: bill > total > adds = passed",
      "src/bill.test.ts: bill > ships = skipped",
      "src/bill.test.ts: later = skipped",
    ]);
    expect(report.tests[0]?.error_message).toBe("AssertionError: expected 1 to be 2");
    expect(report.tests[0]?.stack_trace).toContain("bill.test.ts:9:12");
    expect(report.tests[1]?.error_message).toContain("Cannot find module");
  });

  test("reads jest's report, byte by byte, and not its coverage map", () => {
    const report = parse("jest-json", recorded("jest.json.txt"), 1);
    expect(report).toMatchObject({ damage: null, unnamedFailure: null });
    expect(outline(report)).toEqual([
      "cart.test.js: cart > holds = passed",
      "cart.test.js: cart > ships = skipped",
      "cart.test.js: grüßt 👋 = passed",
    ]);
  });

  test("is damaged wherever it is cut off", () => {
    const whole = recorded("jest.json.txt").trimEnd();
    for (let end = 0; end < whole.length; end += 17) {
      expect(parse("jest-json", whole.slice(0, end), 4096).damage, `cut at ${end}`).not.toBeNull();
    }
  });

  test.each([
    ["no JSON", "hello"],
    ["a second document", '{"success":true,"testResults":[]}{"success":true}'],
    ["a test without a title", '{"testResults":[{"assertionResults":[{"status":"passed"}]}]}'],
  ])("is damaged by %s", (_, text) => {
    for (const size of [1, 7, 4096]) {
      expect(parse("jest-json", text, size).damage, `${size} at a time`).not.toBeNull();
    }
  });

  test.each([
    ['{"success":false,"testResults":[]}'],
    ['{"success":true,"numFailedTests":2,"testResults":[]}'],
  ])("notices a failure that no test has: %s", (text) => {
    expect(parse("jest-json", text).unnamedFailure).not.toBeNull();
  });
});

describe("hostile JSON", () => {
  const MEGABYTE = 1024 * 1024;
  test.each<[string, string, string]>([
    ["nesting", "[", ""],
    ["text", '{"success":"', "x"],
    ["list inside a test", '{"testResults":[{"assertionResults":[{"failureMessages":[', '"x",'],
  ])("is refused for its endless %s", (_, head, piece) => {
    const text = head + (piece || head).repeat((17 * MEGABYTE) / (piece || head).length);
    expect(parse("jest-json", text, MEGABYTE).damage).toMatch(/nested too deeply|not valid JSON/);
  });
});

describe("go-json", () => {
  test("reads go test's events, with a package that did not build and one without tests", () => {
    const report = parse("go-json", recorded("go.jsonl"));
    expect(report.damage).toBeNull();
    expect(outline(report)).toEqual([
      "shop/bill: TestTotal/empty = failed",
      "shop/bill: TestTotal = failed",
      "shop/cart: (package) = failed",
      "shop/bill: TestShip = skipped",
      "shop/bill: TestAdd = passed",
    ]);
    expect(report.tests[0]?.error_message).toBe("bill_test.go:12: got 1, want 0");
    expect(report.tests[2]?.error_message).toContain("syntax error");
    expect(report.tests[4]?.duration_ms).toBe(500);
  });

  test("reads packages that were not built where an older Go prints no event for them", () => {
    const report = parse("go-json", recorded("go-unbuilt.txt"));
    expect(report).toMatchObject({ damage: null, counts: { total: 6, passed: 1, failed: 4 } });
    expect(outline(report)).toContain("shop/cart: (package) = failed");
    expect(outline(report)).toContain("shop/nobuild: (package) = failed");
  });

  test("does not believe a result of a test that never began", () => {
    const event = (Action: string, Test: string) =>
      `${JSON.stringify({ Action, Package: "shop", Test })}\n`;
    const text = event("run", "TestA") + event("pass", "TestForged") + event("fail", "TestA");
    expect(outline(parse("go-json", text))).toEqual(["shop: TestA = failed"]);
  });

  test("holds no endless number of tests that run at once", () => {
    let text = "";
    for (let n = 0; n < 30_000; n += 1) text += `{"Action":"run","Package":"p","Test":"T${n}"}\n`;
    expect(parse("go-json", text, 64 * 1024).damage).toContain("at once");
  });

  test("is damaged when a test or a package has no result", () => {
    const lines = recorded("go.jsonl").split("\n");
    expect(parse("go-json", lines.slice(0, 3).join("\n")).damage).toContain("no result");
    expect(parse("go-json", lines.slice(0, 11).join("\n")).damage).toContain(
      "shop/bill has no result",
    );
    expect(parse("go-json", "PASS\n").damage).toContain("no test event");
  });
});
