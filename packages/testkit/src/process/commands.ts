import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorText, LoopError } from "@ccw-loop/core";
import { commandLineOf, type ProcessTree, runningProcesses } from "@ccw-loop/processes";

/** How long output may still arrive after a command ended; a child left behind can hold the pipe for ever. */
const DRAIN_MS = 200;
const ORPHAN = `require("node:child_process").spawn("/bin/sh", ["-c", process.argv[1]], { detached: true, stdio: "ignore" }).unref()`;

export type Commands = ReturnType<typeof commands>;

/** Commands that are ended together, with everything they started. */
export function commands(family: ProcessTree, { graceMs = 40 } = {}) {
  const running = new Set<Promise<unknown>>();
  let ending: Promise<void> | undefined;

  function start(command: string[], cwd: string, stdio: "pipe" | "ignore"): ChildProcess {
    const [file = "", ...args] = command;
    const child = family.spawn(file, args, {
      cwd,
      env: environment(),
      stdio: ["ignore", stdio, stdio],
    });
    if (child.pid !== undefined) {
      const exit = once(child, "exit").catch(() => undefined);
      running.add(exit);
      void exit.then(() => running.delete(exit));
    }
    return child;
  }

  async function end(): Promise<void> {
    const left = await family.end({ graceMs });
    if (left.length > 0) {
      throw new LoopError("system_unavailable", `Processes ${left.join(", ")} cannot be killed.`);
    }
    await Promise.all(running);
  }

  return {
    /**
     * Runs a shell command in its own process group and answers its exit code, null when a signal ended it.
     * Throws `agent_failed` when it cannot be started.
     */
    async run(
      command: string,
      cwd: string,
      onOutput: (text: string) => void,
    ): Promise<number | null> {
      const child = start(["/bin/sh", "-c", command], cwd, "pipe");
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", onOutput);
      }
      const closed = once(child, "close");
      closed.catch(() => undefined);
      const [code] = await hear(child, "exit", command);
      await Promise.race([closed, delay(DRAIN_MS, null, { ref: false })]);
      for (const stream of [child.stdout, child.stderr]) stream?.off("data", onOutput).resume();
      return code;
    },

    /** Starts a shell command that stays behind; with `orphan` in a session of its own, without a parent. */
    async runInBackground(command: string, cwd: string, { orphan }: { orphan: boolean }) {
      const script = orphan
        ? [process.execPath, "-e", ORPHAN, command]
        : ["/bin/sh", "-c", command];
      const child = start(script, cwd, "ignore");
      child.unref();
      await hear(child, orphan ? "exit" : "spawn", command);
    },

    /** Ends every process of them: TERM, after the grace KILL, until none is left. Throws `system_unavailable` for one that stays. */
    end(): Promise<void> {
      ending ??= end().finally(() => {
        ending = undefined;
      });
      return ending;
    },
  };
}

/** Ours, with the running Node findable, and without what makes a nested `node --test` report to an outer one. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
  const path = [rest.PATH, dirname(process.execPath)].filter(Boolean).join(delimiter);
  return { ...rest, PATH: path };
}

function hear(child: ChildProcess, event: "spawn" | "exit", command: string) {
  return once(child, event).catch((cause: unknown) => {
    const message = `The command cannot be started: ${command} (${errorText(cause)}).`;
    throw new LoopError("agent_failed", message, { cause });
  });
}

/** True while this process still runs. A zombie does not: it is dead and only waits to be collected. */
export function isAlive(pid: number): boolean {
  return runningProcesses().some((one) => one.pid === pid);
}

/** The pids of the processes whose command line contains `text`. */
export function processesRunning(text: string): number[] {
  return runningProcesses()
    .filter((one) => commandLineOf(one).includes(text))
    .map(({ pid }) => pid);
}
