import type { Verification, Verifier } from "@ccw-loop/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { type TempProject, tempProject } from "../temp-folders.ts";
import { planOf } from "./samples.ts";

const TIMEOUT_MS = 60_000;

/** What is found, and what is called passed. */
export function describeVerdicts(open: () => Promise<Verifier>): void {
  const project = async (files: Record<string, string>) => {
    const made = await tempProject(files);
    onTestFinished(() => made.remove());
    return made;
  };

  /** Runs a program whose text is given, as an operator's own command. */
  const run = async (program: string, files: Record<string, string> = {}) =>
    runIn(await project({ ...files, "run.mjs": program }), "node run.mjs", await open());

  describe("detect", () => {
    test("answers null where there is nothing to run", async () => {
      const { dir } = await project({ "README.md": "nothing here", "src/main.txt": "" });
      expect(await (await open()).detect(dir)).toBeNull();
    });

    test("takes the given command, whatever the project says", async () => {
      const { dir } = await project({ "package.json": '{"scripts":{"test":"node other.mjs"}}' });
      const plan = await (await open()).detect(dir, "make check");
      expect(plan).toMatchObject({
        command: "make check",
        source: "given",
        parts: [{ command: "make check" }],
      });
    });

    test("finds the test script of a package", async () => {
      const { dir } = await project({ "package.json": '{"scripts":{"test":"node run.mjs"}}' });
      const plan = await (await open()).detect(dir);
      expect(plan).toMatchObject({ command: "npm test", source: "package.json" });
    });
  });

  describe("verify", { timeout: TIMEOUT_MS }, () => {
    test("passes by exit code where there is no report", async () => {
      const result = await run("console.log('fine')");
      expect(result).toMatchObject({
        passed: true,
        exit_code: 0,
        report: null,
        command: "node run.mjs",
      });
      expect(result.commands).toMatchObject([{ command: "node run.mjs", verdict: "passed" }]);
      expect(result.output_tail).toContain("fine");
      expect(Date.parse(result.started_at)).not.toBeNaN();
    });

    test("fails by exit code where there is no report", async () => {
      const result = await run("console.error('broken'); process.exitCode = 3");
      expect(result).toMatchObject({ passed: false, exit_code: 3, report: null });
      expect(result.reason).toContain("3");
      expect(result.commands).toMatchObject([{ exit_code: 3, verdict: "untrusted" }]);
      expect(result.output_tail).toContain("broken");
    });

    test("passes when report and exit code agree", async () => {
      const result = await run(printing("TAP version 13\nok 1 adds\nok 2 later # SKIP\n1..2", 0));
      expect(result).toMatchObject({
        passed: true,
        counts: { total: 2, passed: 1, failed: 0, skipped: 1 },
      });
      expect(result.report).not.toBeNull();
      expect(result.tests.map((one) => [one.test_name, one.status])).toEqual([
        ["adds", "passed"],
        ["later", "skipped"],
      ]);
    });

    test("names each failed test", async () => {
      const result = await run(printing("TAP version 13\nok 1 adds\nnot ok 2 divides\n1..2", 1));
      expect(result).toMatchObject({ passed: false, counts: { total: 2, passed: 1, failed: 1 } });
      expect(result.reason).toContain("divides");
      expect(result.commands).toMatchObject([{ exit_code: 1, verdict: "tests_failed" }]);
      expect(result.tests).toContainEqual(
        expect.objectContaining({ test_name: "divides", status: "failed" }),
      );
    });

    const lies: [string, string, number][] = [
      ["a report without failures, but a failing exit code", "TAP version 13\nok 1 a\n1..1", 1],
      ["a report with failures, but exit code 0", "TAP version 13\nnot ok 1 a\n1..1", 0],
      ["a report that is cut off", "TAP version 13\n1..3\nok 1 a\nok 2 b", 0],
      ["a report that ends before its plan", "TAP version 13\nok 1 a", 0],
      ["a report without tests", "TAP version 13\n1..0", 0],
      ["a report in which every test is skipped", "TAP version 13\nok 1 a # SKIP\n1..1", 0],
    ];
    test.each(lies)("does not pass %s", async (_, tap, exit) => {
      const result = await run(printing(tap, exit));
      expect(result).toMatchObject({ passed: false, exit_code: exit });
      expect(result.commands).toMatchObject([{ verdict: "untrusted" }]);
      expect(result.report).not.toBeNull();
      expect(result.reason).toMatch(/\.$/);
    });

    test("digests the test files of the project", async () => {
      const before = await run("", { "test/a.test.js": "1", "src/a.js": "1" });
      const after = await run("", { "test/a.test.js": "2", "src/a.js": "2" });
      expect(Object.keys(before.test_files)).toEqual(["test/a.test.js"]);
      expect(before.test_files["test/a.test.js"]).toMatch(/^[0-9a-f]{64}$/);
      expect(after.test_files["test/a.test.js"]).not.toBe(before.test_files["test/a.test.js"]);
    });

    test("keeps the end of a long output", async () => {
      const result = await run(
        "for (let i = 0; i < 20000; i += 1) console.log('line', i, 'of a long output')",
      );
      expect(result.output_tail).toContain("line 19999 of");
      expect(result.output_tail.length).toBeLessThanOrEqual(128 * 1024);
    });

    test("throws verify_unavailable when the command cannot be started", async () => {
      const { dir } = await project({});
      const verifier = await open();
      const plan = await verifier.detect(dir, "no-such-program-anywhere --all");
      if (!plan) throw new Error("A given command was not taken.");
      const options = { signal: new AbortController().signal, timeoutMs: TIMEOUT_MS };
      const missing = verifier.verify(plan, { ...options, cwd: dir });
      await expect(missing).rejects.toMatchObject({ code: "verify_unavailable" });
      const nowhere = verifier.verify(planOf("node run.mjs"), { ...options, cwd: `${dir}/gone` });
      await expect(nowhere).rejects.toMatchObject({ code: "verify_unavailable" });
    });
  });
}

/** Runs a command that was given. */
async function runIn(
  { dir }: TempProject,
  given: string,
  verifier: Verifier,
): Promise<Verification> {
  const plan = await verifier.detect(dir, given);
  if (!plan) throw new Error("A given command was not taken.");
  const { signal } = new AbortController();
  return verifier.verify(plan, { cwd: dir, signal, timeoutMs: TIMEOUT_MS });
}

const printing = (tap: string, exit: number) =>
  `console.log(${JSON.stringify(tap)}); process.exitCode = ${exit};`;

const MARK = 'import { writeFileSync } from "node:fs"; writeFileSync("ran", "");';

/** Several commands, each with its own result. */
export function describeChains(open: () => Promise<Verifier>): void {
  const run = async (given: string, files: Record<string, string>) => {
    const project = await tempProject(files);
    onTestFinished(() => project.remove());
    return { result: await runIn(project, given, await open()), project };
  };

  describe("chains", { timeout: TIMEOUT_MS }, () => {
    test("adds the results of all commands up", async () => {
      const { result } = await run("node a.mjs && node b.mjs && node c.mjs", {
        "a.mjs": printing("TAP version 13\nok 1 adds\nok 2 later # SKIP\n1..2", 0),
        "b.mjs": printing("TAP version 13\nok 1 divides\n1..1", 0),
        "c.mjs": "console.log('linted')",
      });
      expect(result).toMatchObject({
        command: "node a.mjs && node b.mjs && node c.mjs",
        passed: true,
        exit_code: 0,
        counts: { total: 3, passed: 2, failed: 0, skipped: 1 },
      });
      expect(result.report).not.toBeNull();
      expect(result.tests.map(({ test_name }) => test_name)).toEqual(["adds", "later", "divides"]);
      expect(result.commands).toMatchObject([
        { command: "node a.mjs", verdict: "passed", counts: { total: 2 } },
        { command: "node b.mjs", verdict: "passed", counts: { total: 1 } },
        { command: "node c.mjs", verdict: "passed", counts: { total: 0 }, report: null },
      ]);
    });

    test("runs every command, and the first that did not pass decides", async () => {
      const { result, project } = await run("node a.mjs && node b.mjs && node c.mjs", {
        "a.mjs": "console.log('a fine')",
        "b.mjs": "console.error('b is broken'); process.exitCode = 3;",
        "c.mjs": MARK + printing("TAP version 13\nok 1 adds\nnot ok 2 divides\n1..2", 1),
      });
      expect(await project.read("ran")).toBe("");
      expect(result).toMatchObject({
        passed: false,
        exit_code: 3,
        counts: { total: 2, passed: 1, failed: 1 },
      });
      expect(result.reason).toContain("3");
      expect(result.output_tail).toContain("b is broken");
      expect(result.commands).toMatchObject([
        { exit_code: 0, verdict: "passed" },
        { exit_code: 3, verdict: "untrusted" },
        { exit_code: 1, verdict: "tests_failed" },
      ]);
    });

    test("leaves commands together of which one changes the shell for the next", async () => {
      const { result } = await run("cd sub && node run.mjs", {
        "sub/run.mjs": "console.log('in sub')",
      });
      expect(result).toMatchObject({ passed: true, commands: [{ verdict: "passed" }] });
      expect(result.output_tail).toContain("in sub");
    });
  });
}
