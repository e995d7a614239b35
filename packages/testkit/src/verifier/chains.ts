import type { Verification, Verifier } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { type TempProject, tempProject } from "./project.ts";

const CHAIN_TIMEOUT_MS = 60_000;
const MARK = 'import { writeFileSync } from "node:fs"; writeFileSync("ran", "");';

/** Several commands, each with its own result. */
export function describeChains(open: () => Promise<Verifier>): void {
  const printing = (tap: string, exit: number) =>
    `console.log(${JSON.stringify(tap)}); process.exitCode = ${exit};`;

  const run = async (
    given: string,
    files: Record<string, string>,
  ): Promise<{ result: Verification; project: TempProject }> => {
    const project = await tempProject(files);
    const verifier = await open();
    const plan = await verifier.detect(project.dir, given);
    if (!plan) throw new Error("A given command was not taken.");
    const { signal } = new AbortController();
    const options = { cwd: project.dir, signal, timeoutMs: CHAIN_TIMEOUT_MS };
    return { result: await verifier.verify(plan, options), project };
  };

  describe("chains", { timeout: CHAIN_TIMEOUT_MS }, () => {
    test("adds the results of all commands up", async () => {
      const { result, project } = await run("node a.mjs && node b.mjs && node c.mjs", {
        "a.mjs": printing("TAP version 13\nok 1 adds\nok 2 later # SKIP\n1..2", 0),
        "b.mjs": printing("TAP version 13\nok 1 divides\n1..1", 0),
        "c.mjs": "console.log('linted')",
      });
      await project.remove();
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
      const ran = await project.read("ran");
      await project.remove();
      expect(ran).toBe("");
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
      const { result, project } = await run("cd sub && node run.mjs", {
        "sub/run.mjs": "console.log('in sub')",
      });
      await project.remove();
      expect(result).toMatchObject({ passed: true, commands: [{ verdict: "passed" }] });
      expect(result.output_tail).toContain("in sub");
    });
  });
}
