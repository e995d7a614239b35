import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifier } from "../src/index.ts";
import { recorded } from "./parse.ts";
import { planOf, run } from "./plan.ts";
import { project } from "./project.ts";

describe("CCW_LOOP_REPORT", () => {
  test.each([
    ["pytest.xml", "junit", 5],
    ["vitest.json.txt", "jest-json", 5],
    ["nested.tap", "tap", 3],
    ["go.jsonl", "go-json", 5],
  ])("a command may write %s there", async (file, format, total) => {
    const dir = await project({ report: recorded(file) });
    const result = await run(dir, 'cp report "$CCW_LOOP_REPORT"; exit 1');
    expect(result).toMatchObject({ report: format, counts: { total }, passed: false });
    expect(result.reason).toContain(`of ${total} tests failed`);
  });

  test.each([
    ["", "empty"],
    ["all fine\n", "format"],
  ])("a report of %j is not passed over", async (content, reason) => {
    const dir = await project({ report: content });
    const result = await run(dir, 'cp report "$CCW_LOOP_REPORT"');
    expect(result.passed).toBe(false);
    expect(result.reason).toContain(reason);
  });

  test("it comes before what is printed", async () => {
    const dir = await project({ report: "TAP version 13\nok 1 a\n1..1\n" });
    const result = await run(dir, 'echo "1..5"; cp report "$CCW_LOOP_REPORT"');
    expect(result).toMatchObject({ passed: true, counts: { total: 1 } });
  });
});

describe("two reports", () => {
  const printed = "TAP version 13\nok 1 a\nnot ok 2 b\n1..2\n";
  const copy = 'cat printed; cp offered "$CCW_LOOP_REPORT"; exit 1';

  test("that agree are one", async () => {
    const offered =
      '<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>';
    const result = await run(await project({ printed, offered }), copy);
    expect(result).toMatchObject({ report: "tap", counts: { total: 2, failed: 1 } });
    expect(result.commands[0]?.verdict).toBe("tests_failed");
  });

  test("that contradict each other are none: the code under test may have written the file", async () => {
    const offered = '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>';
    const result = await run(await project({ printed, offered }), copy);
    expect(result.commands[0]?.verdict).toBe("untrusted");
    expect(result.reason).toContain("contradict each other");
  });

  test("of a runner and of the code under test must agree too", async () => {
    const forging = `
      import test from "node:test";
      import assert from "node:assert";
      import { writeFileSync } from "node:fs";
      writeFileSync(process.env.CCW_LOOP_REPORT, "TAP version 13\\nok 1 a\\n1..1\\n");
      test("a", () => assert.equal(1, 2));
    `;
    const result = await run(await project({ "a.test.mjs": forging }), "node --test", "node-test");
    expect(result).toMatchObject({ passed: false, commands: [{ verdict: "untrusted" }] });
    expect(result.reason).toContain("0 passed and 1 failed here, 1 passed and 0 failed there");
  });
});

test("reads the coverage that the run wrote", async () => {
  const lcov = "SF:a.js\nDA:1,1\nDA:2,0\nDA:3,0\nDA:4,0\nLF:4\nLH:1\nend_of_record\n";
  const dir = await project({ "lcov.info": lcov, "a.js": "" });
  expect((await run(dir, "true")).coverage).toBeNull();
  expect((await run(dir, "mkdir coverage; cp lcov.info coverage/")).coverage).toBe(25);
});

test("hands out the output as it comes", async () => {
  const dir = await project({});
  const heard: string[] = [];
  const { signal } = new AbortController();
  await verifier().verify(planOf("echo out; echo err >&2"), {
    cwd: dir,
    signal,
    timeoutMs: 60_000,
    onOutput: (text) => heard.push(text),
  });
  expect(heard.join("").split("\n").sort()).toEqual(["", "err", "out"]);
});

test("a listener that throws ends in an error, not in a crash, and the run is cleaned up", async () => {
  const dir = await project({});
  const { signal } = new AbortController();
  const verifying = verifier().verify(planOf("echo out; echo more"), {
    cwd: dir,
    signal,
    timeoutMs: 60_000,
    onOutput: () => {
      throw new Error("no ears");
    },
  });
  await expect(verifying).rejects.toThrow("no ears");
});

test("leaves nothing in the temporary folder", async () => {
  const ours = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith("ccw-loop-verify-"));
  const dir = await project({});
  const result = await run(dir, 'dirname "$CCW_LOOP_REPORT"');
  const folder = result.output_tail.trim();
  expect(folder).toContain("ccw-loop-verify-");
  expect((await ours()).map((name) => join(tmpdir(), name))).not.toContain(folder);
});
