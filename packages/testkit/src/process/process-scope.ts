import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LoopError } from "@ccw-loop/core";
import { hasEnvironment, livingProcesses } from "./living.ts";

/** Commands that are ended together, with everything they started. */
export interface ProcessScope {
  /**
   * Runs a shell command in its own process group and answers its exit code, null when a signal ended it.
   * Throws `agent_failed` when it cannot be started.
   */
  run(command: string, cwd: string, onOutput: (text: string) => void): Promise<number | null>;
  /** Starts a shell command that stays behind; with `orphan` in a session of its own, without a parent. */
  leave(command: string, cwd: string, options: { orphan: boolean }): Promise<void>;
  /**
   * Ends every process of the scope: TERM, after the grace KILL, until none is left. Also finds what an
   * earlier owner of the same name left. Throws `internal` when the system cannot kill one.
   */
  end(): Promise<void>;
}

/** Children inherit this variable; by it they are found wherever they went. */
const MARKER = "CCW_LOOP_TESTKIT_SCOPE";
const LOOK_AGAIN_MS = 4;
const GIVE_UP_MS = 10_000;
/** How long output may still arrive after a command ended; a child left behind can hold the pipe for ever. */
const DRAIN_MS = 200;
const ORPHAN = `require("node:child_process").spawn("/bin/sh", ["-c", process.argv[1]], { detached: true, stdio: "ignore" }).unref()`;

/** `name` must be unique to the scope, and the same again for a process that takes it over after a crash. */
export function processScope(name: string, { graceMs = 40 } = {}): ProcessScope {
  const marker = `${MARKER}=${name}`;
  const running = new Map<number, Promise<unknown>>();
  let ending: Promise<void> | undefined;

  function start(command: string[], cwd: string, stdio: "pipe" | "ignore"): ChildProcess {
    const child = spawn(command[0] ?? "", command.slice(1), {
      cwd,
      detached: true,
      env: environment(name),
      stdio: ["ignore", stdio, stdio],
    });
    const { pid } = child;
    if (pid !== undefined) {
      running.set(
        pid,
        once(child, "exit").catch(() => undefined),
      );
      child.once("exit", () => running.delete(pid));
    }
    return child;
  }

  function members(): number[] {
    return livingProcesses()
      .filter((p) => running.has(p.group) || hasEnvironment(p.pid, marker))
      .map((p) => p.pid)
      .filter((pid) => pid !== process.pid);
  }

  async function end(): Promise<void> {
    const began = performance.now();
    const told = new Set<number>();
    for (let left = members(); left.length > 0; left = members()) {
      const elapsed = performance.now() - began;
      if (elapsed > GIVE_UP_MS) {
        throw new LoopError("internal", `Processes ${left.join(", ")} cannot be killed.`);
      }
      for (const pid of left) {
        if (elapsed >= graceMs) kill(pid, "SIGKILL");
        else if (!told.has(pid)) kill(pid, "SIGTERM");
        told.add(pid);
      }
      await delay(LOOK_AGAIN_MS);
    }
    await Promise.all(running.values());
  }

  return {
    async run(command, cwd, onOutput) {
      const child = start(["/bin/sh", "-c", command], cwd, "pipe");
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", onOutput);
      }
      const closed = once(child, "close");
      closed.catch(() => undefined);
      const [code] = await ended(child, command);
      const drained = new AbortController();
      await Promise.race([
        closed,
        delay(DRAIN_MS, null, { signal: drained.signal }).catch(() => null),
      ]);
      drained.abort();
      for (const stream of [child.stdout, child.stderr]) stream?.off("data", onOutput).resume();
      return code;
    },

    async leave(command, cwd, { orphan }) {
      const script = orphan
        ? [process.execPath, "-e", ORPHAN, command]
        : ["/bin/sh", "-c", command];
      const child = start(script, cwd, "ignore");
      child.unref();
      if (orphan) await ended(child, command);
      else await started(child, command);
    },

    end() {
      ending ??= end().finally(() => {
        ending = undefined;
      });
      return ending;
    },
  };
}

/** Ours, with the running Node findable, and without what makes a nested `node --test` report to an outer one. */
function environment(name: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
  const path = [rest.PATH, dirname(process.execPath)].filter(Boolean).join(delimiter);
  return { ...rest, PATH: path, [MARKER]: name };
}

async function started(child: ChildProcess, command: string): Promise<void> {
  await once(child, "spawn").catch((cause: unknown) => {
    throw cannotStart(command, cause);
  });
}

async function ended(child: ChildProcess, command: string): Promise<[number | null]> {
  const [code] = await once(child, "exit").catch((cause: unknown) => {
    throw cannotStart(command, cause);
  });
  return [code];
}

function cannotStart(command: string, cause: unknown): LoopError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LoopError("agent_failed", `The command cannot be started: ${command} (${why}).`, {
    cause,
  });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime; the next look tells.
  }
}
