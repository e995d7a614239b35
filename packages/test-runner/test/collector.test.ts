import { expect, test } from "vitest";
import { collector } from "../src/reports/collector.ts";

test("counts exactly, keeps 1000 failures and 50000 others by name, failures first", () => {
  const into = collector();
  for (let i = 0; i < 60_000; i += 1) into.add({ suite: "s", name: `ok ${i}`, status: "passed" });
  for (let i = 0; i < 3000; i += 1) {
    into.add({ suite: "s", name: `bad ${i}`, status: "failed", message: "m", stack: "s" });
  }
  into.count("skipped");
  const { counts, tests } = into.collected();
  expect(counts).toEqual({ total: 63_001, passed: 60_000, failed: 3000, skipped: 1 });
  expect(tests).toHaveLength(51_000);
  expect(tests[0]?.test_name).toBe("bad 0");
  expect(tests[1000]?.test_name).toBe("ok 0");
  expect(tests.at(-1)?.test_name).toBe("ok 49999");
});

test("cuts long texts and says how much is missing", () => {
  const into = collector();
  into.add({ suite: "", name: "a", status: "failed", message: "m".repeat(10_000), stack: " " });
  const [only] = into.collected().tests;
  expect(only?.error_message).toBe(`${"m".repeat(8192)}… (1808 more characters)`);
  expect(only?.stack_trace).toBeNull();
});

test("keeps all texts together within a budget, and every failure with some of its text", () => {
  const into = collector();
  for (let i = 0; i < 1000; i += 1) {
    into.add({
      suite: "",
      name: `${i}`,
      status: "failed",
      message: "m".repeat(8000),
      stack: "s".repeat(8000),
    });
  }
  const { tests } = into.collected();
  expect(JSON.stringify(tests).length).toBeLessThan(4 * 1024 * 1024);
  expect(tests.at(-1)?.error_message?.length).toBeGreaterThan(200);
});

test("takes NUL and its like out of names and texts, and keeps their lines", () => {
  const into = collector();
  into.add({ suite: "", name: "a\0b\u0007c", status: "failed", message: "one\n\ttwo\0" });
  expect(into.collected().tests[0]).toMatchObject({
    test_name: "abc",
    error_message: "one\n\ttwo",
  });
});

test("takes terminal control sequences out of names and texts", () => {
  const into = collector();
  into.add({
    suite: "\u001b[1ms",
    name: "\u001b]0;title\u0007n",
    status: "failed",
    message: "\u001b[31mred\u001b[0m",
  });
  expect(into.collected().tests[0]).toMatchObject({
    suite: "s",
    test_name: "n",
    error_message: "red",
  });
});
