import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Verification } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { verifier } from "../src/index.ts";
import { recorded } from "./parse.ts";
import { project } from "./project.ts";

async function run(cwd: string, command: string, report = "exit-code"): Promise<Verification> {
  const { signal } = new AbortController();
  const plan = { command, source: "given", report };
  return verifier().verify(plan, { cwd, signal, timeoutMs: 60_000 });
}

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

describe("a runner that was asked for a report", () => {
  test("does not pass without one", async () => {
    const result = await run(await project({}), "true", "vitest");
    expect(result).toMatchObject({ passed: false, exit_code: 0, report: null });
    expect(result.reason).toContain("vitest report is missing");
  });

  test("is told by arguments, outside the project", async () => {
    const dir = await project({
      "jest.sh": 'cp report "$(echo "$2" | cut -d= -f2)"',
      report: recorded("jest.json.txt"),
    });
    const result = await run(dir, "sh jest.sh", "jest");
    expect(result).toMatchObject({ passed: true, report: "jest-json", counts: { total: 3 } });
    expect((await readdir(dir)).sort()).toEqual(["jest.sh", "report"]);
  });

  test("go is told on its own command", async () => {
    const dir = await project({
      "bin/go": '#!/bin/sh\n[ "$1 $2" = "test -json" ] && cat go.jsonl\nexit 1',
      "go.jsonl": recorded("go.jsonl"),
    });
    const result = await run(dir, 'PATH="$PWD/bin:$PATH"; chmod +x bin/go; go test ./...', "go");
    expect(result).toMatchObject({ passed: false, report: "go-json", counts: { total: 5 } });
  });

  test("pytest is told by its environment", async () => {
    const dir = await project({ "report.xml": recorded("pytest.xml") });
    const result = await run(
      dir,
      'eval "set -- $PYTEST_ADDOPTS"; cp report.xml "$(echo "$1" | cut -d= -f2)"; exit 1',
      "pytest",
    );
    expect(result).toMatchObject({ report: "junit", counts: { total: 5, failed: 2 } });
  });

  test.each([
    ["maven", "core/target/surefire-reports", "surefire.xml", 3],
    ["gradle", "app/build/test-results/test", "gradle.xml", 2],
  ])("%s's reports of earlier runs do not count", async (runner, folder, file, total) => {
    const dir = await project({
      [`${folder}/TEST-old.xml`]: recorded(file),
      "new.xml": recorded(file),
    });
    const stale = await run(dir, "true", runner);
    expect(stale).toMatchObject({ passed: false, report: null });
    const fresh = await run(dir, `cp new.xml ${folder}/TEST-new.xml; exit 1`, runner);
    expect(fresh).toMatchObject({ report: "junit", counts: { total, failed: 1 } });
  });
});

test("reads the coverage that the run wrote", async () => {
  const dir = await project({ "lcov.info": "LF:4\nLH:1\n" });
  expect((await run(dir, "true")).coverage).toBeNull();
  expect((await run(dir, "mkdir coverage; cp lcov.info coverage/")).coverage).toBe(25);
});

test("hands out the output as it comes", async () => {
  const dir = await project({});
  const heard: string[] = [];
  const { signal } = new AbortController();
  await verifier().verify(
    { command: "echo out; echo err >&2", source: "given", report: "exit-code" },
    { cwd: dir, signal, timeoutMs: 60_000, onOutput: (text) => heard.push(text) },
  );
  expect(heard.join("").split("\n").sort()).toEqual(["", "err", "out"]);
});

test("a listener that throws ends in an error, not in a crash, and the run is cleaned up", async () => {
  const dir = await project({});
  const { signal } = new AbortController();
  const verifying = verifier().verify(
    { command: "echo out; echo more", source: "given", report: "exit-code" },
    {
      cwd: dir,
      signal,
      timeoutMs: 60_000,
      onOutput: () => {
        throw new Error("no ears");
      },
    },
  );
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
