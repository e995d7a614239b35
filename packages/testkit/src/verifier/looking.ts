import type { ProbeRun, Verifier } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { tempProject } from "./project.ts";

const PROBE_TIMEOUT_MS = 60_000;

/** What looks at a project without judging it. */
export function describeProbes(open: () => Promise<Verifier>): void {
  const probe = async (
    command: string,
    files: Record<string, string> = {},
    timeoutMs = PROBE_TIMEOUT_MS,
  ): Promise<ProbeRun> => {
    const project = await tempProject(files);
    try {
      const { signal } = new AbortController();
      return await (await open()).probe(command, { cwd: project.dir, signal, timeoutMs });
    } finally {
      await project.remove();
    }
  };

  describe("probe", { timeout: PROBE_TIMEOUT_MS }, () => {
    test("answers with exit code and output, and calls neither good nor bad", async () => {
      const run = await probe("node run.mjs", {
        "run.mjs": "console.log('out'); console.error('\\u001b[31merr'); process.exitCode = 3;",
      });
      expect(run).toMatchObject({ exit_code: 3, timed_out: false });
      expect(run.output).toContain("out\n");
      expect(run.output).toContain("err");
      expect(run.output).not.toContain("\u001b");
      expect(run.duration_ms).toBeGreaterThan(0);
    });

    test("keeps the end of a long output", async () => {
      const run = await probe("node run.mjs", {
        "run.mjs": "for (let i = 0; i < 20000; i += 1) console.log('line', i, 'of a long output')",
      });
      expect(run.output).toContain("line 19999 of");
      expect(run.output.length).toBeLessThanOrEqual(128 * 1024);
    });

    test("ends at its time limit", async () => {
      const run = await probe("node run.mjs", { "run.mjs": "setInterval(() => {}, 1000)" }, 500);
      expect(run).toMatchObject({ exit_code: null, timed_out: true });
    });

    test("throws verify_unavailable when the command cannot be started", async () => {
      const missing = probe("no-such-program-anywhere --all");
      await expect(missing).rejects.toMatchObject({ code: "verify_unavailable" });
    });
  });
}
