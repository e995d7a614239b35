import type { ProbeOptions, ProbeRun, Verifier } from "@ccw-loop/core";
import { describe, expect, test, vi } from "vitest";
import { isAlive } from "../process/commands.ts";
import { tempProject } from "../temp-folders.ts";
import { planOf } from "./samples.ts";
import { describeChains, describeVerdicts } from "./verdicts.ts";

/**
 * Executable contract of core's `Verifier`. `open` answers with a fresh verifier that runs commands on this
 * machine, where `node` is on the PATH.
 */
export function describeVerifier(name: string, open: () => Promise<Verifier>): void {
  describe(`Verifier contract: ${name}`, () => {
    describeVerdicts(open);
    describeChains(open);
    describeProbes(open);
    describeProcessEnd(open);
  });
}

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

const TIMEOUT_MS = 60_000;
const PLAN = planOf("node run.mjs");
/** The one that has to be ended is not the first. */
const CHAIN = planOf("node first.mjs", "node run.mjs", "node last.mjs");

/**
 * Starts processes that would run on: one in its group, one that ignores TERM and, where a run can find it
 * again (Linux), one in a session of its own whose parent is gone; then writes their pids and goes on itself.
 */
const FAMILY = `
  import { spawn } from "node:child_process";
  import { once } from "node:events";
  import { appendFileSync, renameSync } from "node:fs";
  const forever = "setInterval(() => {}, 1000);";
  const start = (code, options = {}) => {
    const stdio = ["ignore", "pipe", "inherit"];
    return spawn(process.execPath, ["-e", code], { stdio, ...options });
  };
  const told = [];
  const known = async (child) => told.push((await once(child.stdout, "data")).toString().trim());
  await known(start("console.log(process.pid);" + forever));
  await known(start("process.on('SIGTERM', () => {}); console.log(process.pid);" + forever));
  const orphan = "const { pid } = require('node:child_process').spawn(process.execPath, ['-e', "
    + JSON.stringify(forever) + "], { detached: true, stdio: 'ignore' }); console.log(pid); process.exit(0);";
  if (process.platform === "linux") await known(start(orphan));
  appendFileSync("pids.tmp", told.join("\\n"));
  renameSync("pids.tmp", "pids");
`;

/** However a run or a probe ends, none of its processes is left. */
export function describeProcessEnd(open: () => Promise<Verifier>): void {
  const staying = `${FAMILY} setInterval(() => {}, 1000);`;

  describe("ending", { timeout: TIMEOUT_MS }, () => {
    test.each<[string, (verifier: Verifier, options: ProbeOptions) => Promise<unknown>]>([
      ["a run", (verifier, options) => verifier.verify(CHAIN, options)],
      ["a probe", (verifier, options) => verifier.probe("node run.mjs", options)],
    ])("%s rejects with the signal's reason on abort and leaves no process", async (_, begin) => {
      await using family = await familyProject(staying);
      const abort = new AbortController();
      const options = { cwd: family.dir, signal: abort.signal, timeoutMs: TIMEOUT_MS };
      const settled = begin(await open(), options).then(
        () => "resolved",
        (error: unknown) => error,
      );
      const pids = await family.pids();
      expect(pids.filter(isAlive)).toEqual(pids);
      const reason = new Error("An operator stopped the loop.");
      abort.abort(reason);
      expect(await settled).toBe(reason);
      expect(pids.filter(isAlive)).toEqual([]);
      expect(await family.read("last")).toBeUndefined();
    });

    test("starts nothing when it is aborted already", async () => {
      await using family = await familyProject(staying);
      const signal = AbortSignal.abort(new Error("too late"));
      const options = { cwd: family.dir, signal, timeoutMs: TIMEOUT_MS };
      const verifying = (await open()).verify(PLAN, options);
      await expect(verifying).rejects.toThrow("too late");
      expect(await family.read("pids")).toBeUndefined();
    });

    test("fails at its time limit and leaves no process", async () => {
      await using family = await familyProject(staying);
      const { signal } = new AbortController();
      const options = { cwd: family.dir, signal, timeoutMs: 4000 };
      const result = await (await open()).verify(CHAIN, options);
      expect(result).toMatchObject({ passed: false, exit_code: null });
      expect(result.reason).toContain("4 s");
      expect(result.commands.map(({ verdict }) => verdict)).toEqual([
        "passed",
        "untrusted",
        "untrusted",
      ]);
      expect((await family.pids()).filter(isAlive)).toEqual([]);
      expect(await family.read("last")).toBeUndefined();
    });

    test("leaves no process behind that a finished command left in the background", async () => {
      await using family = await familyProject(`${FAMILY} process.exit(0);`);
      const { signal } = new AbortController();
      const options = { cwd: family.dir, signal, timeoutMs: TIMEOUT_MS };
      const result = await (await open()).verify(PLAN, options);
      expect(result).toMatchObject({ passed: true, exit_code: 0 });
      expect((await family.pids()).filter(isAlive)).toEqual([]);
    });
  });
}

interface FamilyProject extends AsyncDisposable {
  dir: string;
  /** The content of a file that a command wrote. */
  read(path: string): Promise<string | undefined>;
  /** The pids of the whole family, once all of them run. */
  pids(): Promise<number[]>;
}

/** Leaves no process and no file, also where the verifier under test does. */
async function familyProject(program: string): Promise<FamilyProject> {
  const project = await tempProject({
    "run.mjs": program,
    "first.mjs": "",
    "last.mjs": 'import { writeFileSync } from "node:fs"; writeFileSync("last", "");',
  });
  const read = async () => (await project.read("pids"))?.split("\n").map(Number);
  return {
    dir: project.dir,
    read: project.read,
    pids: () =>
      vi.waitFor(
        async () => {
          const found = await read();
          expect(found).toHaveLength(process.platform === "linux" ? 3 : 2);
          return found ?? [];
        },
        { timeout: TIMEOUT_MS / 2, interval: 20 },
      ),
    async [Symbol.asyncDispose]() {
      for (const pid of ((await read()) ?? []).filter(isAlive)) process.kill(pid, "SIGKILL");
      await project.remove();
    },
  };
}
