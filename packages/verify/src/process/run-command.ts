import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { LoopError, type ProcessScope, systemShortage } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { tail } from "./tail.ts";

/** How long output may still come when all processes are gone: only one that hid from us can hold the pipe. */
const DRAIN_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface CommandOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  processes: Processes;
  scope?: ProcessScope | undefined;
  signal: AbortSignal;
  timeoutMs: number;
  /** Between TERM and KILL. */
  graceMs: number;
  /** Words in front of the shell that runs the command, such as a sandbox with its options. */
  wrap?: readonly string[] | null | undefined;
  onStdout: (chunk: Buffer) => void;
  onOutput?: ((text: string) => void) | undefined;
}

export interface CommandEnd {
  /** Null when a signal or the time limit ended it. */
  exitCode: number | null;
  /** The signal that ended it, when it was not ours. */
  killedBy: string | null;
  timedOut: boolean;
  durationMs: number;
  outputTail: string;
}

/**
 * Runs a command line by the shell in its own process group, its output always drained. However it ends, no
 * process of the run is left: also those in the background, and on Linux those in sessions of their own.
 * Rejects with `signal.reason` on abort, with `verify_unavailable` when it cannot be started, and
 * `system_unavailable` where the system lacks something for it.
 */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandEnd> {
  const { cwd, signal, graceMs } = options;
  signal.throwIfAborted();
  const started = performance.now();
  const family = options.processes.processTree(options.scope);
  const stdio = ["ignore" as const, "pipe" as const, "pipe" as const];
  const [program, ...before] = options.wrap ?? [];
  const child =
    program === undefined
      ? family.spawn(command, [], { cwd, env: { ...options.env }, shell: true, stdio })
      : family.spawn(program, [...before, "/bin/sh", "-c", command], {
          cwd,
          env: { ...options.env },
          stdio,
        });
  const output = drain(child, options);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exited = new Promise<[number | null, string | null]>((resolve) =>
    child.once("exit", (code, killedBy) => resolve([code, killedBy])),
  );
  await spawned(child, cwd);

  const limit = limitOf(options);
  try {
    const ended = await Promise.race([exited, limit.reached]);
    const left = await family.end({ graceMs });
    await Promise.race([closed, after(DRAIN_MS)]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    if (left.length > 0) {
      throw new LoopError(
        "system_unavailable",
        `Processes ${left.join(", ")} of the test run cannot be ended. End them, then try again.`,
        { details: { pids: left } },
      );
    }
    signal.throwIfAborted();
    return {
      exitCode: ended?.[0] ?? null,
      killedBy: ended?.[1] ?? null,
      timedOut: ended === null,
      durationMs: Math.round(performance.now() - started),
      outputTail: output.end(),
    };
  } finally {
    limit.clear();
  }
}

/** Reads both streams to their ends, whatever the readers of `options` do. */
function drain(child: ChildProcess, { onStdout, onOutput }: CommandOptions) {
  const kept = tail();
  let failure: { error: unknown } | null = null;
  const listen = (stream: Readable | null, onChunk?: (chunk: Buffer) => void) => {
    const decoder = new StringDecoder();
    stream?.on("data", (chunk: Buffer) => {
      kept.write(chunk);
      if (failure) return;
      try {
        onChunk?.(chunk);
        onOutput?.(decoder.write(chunk));
      } catch (error) {
        failure = { error };
      }
    });
  };
  listen(child.stdout, onStdout);
  listen(child.stderr);
  return {
    /** The tail; throws what a reader threw. */
    end(): string {
      if (failure) throw failure.error;
      return kept.text();
    },
  };
}

async function spawned(child: ChildProcess, cwd: string): Promise<void> {
  try {
    await once(child, "spawn");
  } catch (cause) {
    const shortage = systemShortage(cause);
    if (shortage) throw shortage;
    throw new LoopError(
      "verify_unavailable",
      `The test command cannot be started in ${cwd}. Check that the folder exists and has a shell.`,
      { cause },
    );
  }
}

/** `reached` answers null when the time is over or the signal aborts. */
function limitOf({ signal, timeoutMs }: CommandOptions) {
  const { promise: reached, resolve } = Promise.withResolvers<null>();
  const stop = () => resolve(null);
  const timer = setTimeout(stop, Math.min(timeoutMs, LONGEST_TIMER_MS));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return {
    reached,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    },
  };
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
