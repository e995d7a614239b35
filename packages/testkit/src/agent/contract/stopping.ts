import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processesRunning } from "../../process/living.ts";
import { longCommand, type Subject } from "./subject.ts";

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
export function describeAbortAndClose(subject: Subject): void {
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
        await turn.first("command.output");
        expect(processesRunning(token)).not.toEqual([]);
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
      await turn.first("command.output");
      expect(processesRunning(token)).not.toEqual([]);
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
