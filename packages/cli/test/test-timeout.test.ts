/** @module-tag slow */
import { expect, test } from "vitest";
import { plan, stateOf } from "./support/project.ts";
import { testedProject, writes } from "./support/tested-project.ts";

test("tests that do not end are ended after the time that the operator gives them", async () => {
  const hangs = writes({ "src/sum.js": "for (;;);\nexport const sum = 0, half = 0;\n" });
  const idles = { action: "DEBUG" as const, answer: { message: "?" }, repeat: true };
  await using here = await testedProject(plan, hangs, idles);
  const flags = ["--test-timeout", "3s", "--max-iterations", "2", "--flaky-reruns", "0"];
  const args = ["run", "--auto", ...here.flags, ...flags, "--loop-id", "a", "--create", "Mend it"];
  const { code, out } = await here.cli(...args);
  expect(code, out).toBe(3);
  const { receipts = [], limits } = await stateOf(here, "a");
  expect(limits).toMatchObject({ test_timeout_ms: 3000 });
  expect(receipts.at(-1)?.reason).toMatch(
    /^The tests were ended after 3 s, their time limit \(--test-timeout\)\./,
  );
});

test.each(["0s", "soon", "99999d"])("%s is no time for tests", async (time) => {
  await using here = await testedProject(plan);
  const { code, err } = await here.cli("run", "--auto", ...here.flags, "--test-timeout", time, "x");
  expect(code).toBe(2);
  expect(err).toMatch(/--test-timeout cannot be "\w+": use (a duration like 90s|7d or less)/);
});
