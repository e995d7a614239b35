import { existsSync } from "node:fs";
import { realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentSession, ExecOptions, ExecResult } from "@ccw-loop/core";
import { describe, expect, it, vi } from "vitest";
import { processesRunning } from "../../process/commands.ts";
import { type AgentTraits, longCommand, type Subject, untilUp } from "./harness.ts";

const DETACH =
  'const { spawn } = require("node:child_process"); const [file, ...args] = process.argv.slice(1);';
const ORPHAN = `${DETACH} spawn(file, args, { detached: true, stdio: "ignore" }).unref()`;

/** Commands that try to live on; each says so as soon as all its processes are there. */
const STUBBORN = {
  "a command": (sleep: string) => `echo up; ${sleep}`,
  "a command's child": (sleep: string) => `${sleep} & echo up; wait`,
  "a command that ignores TERM": (sleep: string) => `trap '' TERM; echo up; ${sleep}; ${sleep}`,
  "a child that ignores TERM, in a session of its own": (sleep: string) =>
    `node -e '${ORPHAN}' sh -c "trap '' TERM; touch ready; ${sleep}; ${sleep}"; ` +
    `until [ -e ready ]; do sleep 0.02; done; echo up; ${sleep}`,
};

/** Stop means stop: abort and close leave nothing behind, and abort leaves the session usable. */
export function describeAbortAndClose(subject: Subject, traits: AgentTraits): void {
  describe("aborting the signal", () => {
    it.each(Object.entries(STUBBORN))(
      "ends %s before run rejects with the reason",
      async (_, make) => {
        const { session } = await subject.open();
        const { command, token } = longCommand();
        const turn = await subject.start(session, {
          command: make(command),
          end: { answer: "never" },
        });
        await untilUp(turn, token, traits);
        const reason = new Error("The operator paused the loop.");
        turn.abort(reason);
        await expect(turn.end).rejects.toBe(reason);
        expect(processesRunning(token)).toEqual([]);
      },
    );

    it("ends a turn that hangs", async () => {
      const { session } = await subject.open();
      const turn = await subject.start(session, { end: "hang" });
      await turn.first("message.delta");
      const reason = new Error("Enough.");
      turn.abort(reason);
      await expect(turn.end).rejects.toBe(reason);
    });

    it("ends a turn that has only just begun", async () => {
      const { session } = await subject.open();
      const turn = await subject.start(session, { end: "hang" });
      const reason = { any: "value" };
      turn.abort(reason);
      await expect(turn.end).rejects.toBe(reason);
    });

    it("begins nothing when it was aborted before", async () => {
      const { session } = await subject.open();
      const edit = { path: "never.txt", content: "" };
      await subject.harness.stage({ edit, end: { answer: "never" } });
      const reason = new Error("Too late.");
      const run = session.run("Forget the heron.", { signal: AbortSignal.abort(reason) });
      await expect(run).rejects.toBe(reason);
      expect(existsSync(join(subject.harness.cwd, edit.path))).toBe(false);
      await subject.ask(session, "ok", "Go on.");
      expect(await subject.harness.seen()).not.toContain("heron");
    });

    it("leaves the conversation usable", async () => {
      const { session } = await subject.open();
      await subject.ask(session, "Noted.", "The word is heron.");
      const { command } = longCommand();
      const turn = await subject.start(session, { command, end: { answer: "never" } });
      await turn.first("command.started");
      turn.abort(new Error("Enough."));
      await turn.end.catch(() => undefined);
      expect(await subject.ask(session, "heron", "What was the word?")).toBe("heron");
      expect(await subject.harness.seen()).toContain("The word is heron.");
    });
  });

  describe("close", () => {
    it("ends a turn that is under way, and its processes", async () => {
      const { session } = await subject.open();
      const { command, token } = longCommand();
      const turn = await subject.start(session, {
        command: `echo up; ${command}`,
        end: { answer: "never" },
      });
      await untilUp(turn, token, traits);
      await session.close();
      expect(processesRunning(token)).toEqual([]);
      await expect(turn.end).rejects.toMatchObject({ name: "LoopError" });
    });

    it("ends what a finished turn left running", async () => {
      const { session } = await subject.open();
      const { command, token } = longCommand();
      const left = `${command} > /dev/null 2>&1 &`;
      await (await subject.start(session, { command: left, end: { answer: "ok" } })).end;
      await session.close();
      expect(processesRunning(token)).toEqual([]);
    });

    it("may be called again, and refuses turns from then on", async () => {
      const { session } = await subject.open();
      await subject.ask(session, "ok");
      await Promise.all([session.close(), session.close()]);
      await session.close();
      const run = session.run("Go on.", { signal: new AbortController().signal });
      await expect(run).rejects.toMatchObject({ code: "invalid_input" });
      await expect(session.steer("now")).rejects.toMatchObject({ code: "invalid_input" });
    });
  });
}

const KEPT = 64 * 1024;

const untilThereIs = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;

/** Commands outside of any turn. */
export function describeExec(subject: Subject, { executes }: AgentTraits): void {
  describe.runIf(executes)("exec", () => {
    it("runs a command in the project, before the first turn too, and tells how it ended", async () => {
      const { session } = await subject.open();
      const { output, ...rest } = await exec(session, "pwd; echo said; echo wrong >&2; exit 3");
      expect(rest).toEqual({ exit_code: 3, timed_out: false });
      expect(output.split("\n").toSorted()).toEqual(
        ["", await realpath(subject.harness.cwd), "said", "wrong"].toSorted(),
      );
    });

    it("keeps the last of much output", async () => {
      const { session } = await subject.open();
      const { output } = await exec(session, "seq 1 100000");
      expect(output.length).toBeLessThanOrEqual(KEPT);
      expect(output.length).toBeGreaterThan(KEPT / 2);
      expect(output.endsWith("99999\n100000\n")).toBe(true);
    });

    it("is no part of the conversation, which goes on", async () => {
      const { session } = await subject.open();
      await subject.ask(session, "Noted.", "The word is heron.");
      expect(await exec(session, "echo secret-of-the-probe")).toMatchObject({ exit_code: 0 });
      expect(await subject.ask(session, "heron", "What was the word?")).toBe("heron");
      expect(await subject.harness.seen()).toContain("The word is heron.");
      expect(await subject.harness.seen()).not.toContain("secret-of-the-probe");
    });

    it("answers what there is when the time is up, and leaves no process", async () => {
      const { session } = await subject.open();
      const { command, token } = longCommand();
      const result = await exec(session, `echo up; ${command} & ${command}`, { timeoutMs: 1500 });
      expect(result).toEqual({ exit_code: null, output: "up\n", timed_out: true });
      expect(processesRunning(token)).toEqual([]);
      expect(await exec(session, "echo again")).toMatchObject({ output: "again\n" });
    });

    it("ends every process before it rejects with the reason of an abort", async () => {
      const { session } = await subject.open();
      const { command, token } = longCommand();
      const stubborn = `trap '' TERM; (trap '' TERM; ${command}; ${command}) & ${command}; ${command}`;
      const control = new AbortController();
      const run = exec(session, stubborn, { signal: control.signal });
      run.catch(() => undefined);
      await vi.waitFor(() => expect(processesRunning(token)).not.toEqual([]), 20_000);
      const reason = new Error("The operator paused the loop.");
      control.abort(reason);
      await expect(run).rejects.toBe(reason);
      expect(processesRunning(token)).toEqual([]);
    });

    it("leaves nothing running in the background", async () => {
      const { session } = await subject.open();
      const { command, token } = longCommand();
      await exec(session, `${command} > /dev/null 2>&1 & echo left`);
      expect(processesRunning(token)).toEqual([]);
    });

    it("begins nothing when it was aborted before", async () => {
      const { session } = await subject.open();
      const reason = { any: "value" };
      const run = exec(session, "touch never.txt", { signal: AbortSignal.abort(reason) });
      await expect(run).rejects.toBe(reason);
      expect(await exec(session, "ls never.txt")).not.toMatchObject({ exit_code: 0 });
    });

    it("is refused while a turn runs, and a turn while it runs", async () => {
      const { session } = await subject.open();
      const command = untilThereIs("go");
      const turn = await subject.start(session, { command, end: { answer: "first" } });
      await turn.first("command.started");
      await expect(exec(session, "true")).rejects.toMatchObject({ code: "invalid_input" });
      await writeFile(join(subject.harness.cwd, "go"), "");
      expect((await turn.end).text).toBe("first");

      const run = exec(session, untilThereIs("go-on"));
      const second = session.run("And this?", { signal: new AbortController().signal });
      await expect(second).rejects.toMatchObject({ code: "invalid_input" });
      await expect(session.steer("now")).rejects.toMatchObject({ code: "invalid_input" });
      await writeFile(join(subject.harness.cwd, "go-on"), "");
      expect(await run).toMatchObject({ exit_code: 0 });
    });

    it("is ended by close", async () => {
      const { session } = await subject.open();
      const { command, token } = longCommand();
      const run = expect(exec(session, command)).rejects.toMatchObject({ code: "agent_died" });
      await vi.waitFor(() => expect(processesRunning(token)).not.toEqual([]), 20_000);
      await session.close();
      await run;
      expect(processesRunning(token)).toEqual([]);
      await expect(exec(session, "true")).rejects.toMatchObject({ code: "invalid_input" });
    });
  });
}

async function exec(
  session: AgentSession,
  command: string,
  options: Partial<ExecOptions> = {},
): Promise<ExecResult> {
  if (!session.exec) throw new Error("The session has no exec.");
  const { signal } = new AbortController();
  return session.exec(command, { signal, timeoutMs: 60_000, ...options });
}
