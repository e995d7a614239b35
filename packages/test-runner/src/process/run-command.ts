import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay } from "node:timers/promises";
import { LoopError, type ProbeOptions, type ProbeRun, systemShortage } from "@ccw-loop/core";
import { outputTail, type Processes } from "@ccw-loop/processes";
import { testEnvironment } from "./environment.ts";

/** How long output may still come when all processes are gone: only one that hid from us can hold the pipe. */
const DRAIN_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What every run of a verifier shares. */
export interface RunSettings {
  /** Variables beside the allow-list of `testEnvironment`. */
  env: Readonly<Record<string, string>>;
  /** Between TERM and KILL. */
  graceMs: number;
  /** Folders that tests in clean rooms do not see. */
  hidden: readonly string[];
  /** Whether tests in clean rooms reach nothing, and nothing reaches them: other runs are made meanwhile. */
  ownNetwork?: boolean;
  processes: Processes;
}

export interface CommandOptions extends ProbeOptions, Omit<RunSettings, "hidden"> {
  /** All variables. */
  env: Readonly<Record<string, string>>;
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
  /** At most 200 lines and 64 KB, without terminal control sequences. */
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
    await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false })]);
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
  const kept = outputTail({ bytes: 64 * 1024, lines: 200 });
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

/**
 * Runs one command as tests are run: same environment, no process left. A time limit that is reached is an answer.
 * Throws `verify_unavailable` when it cannot be started; rejects with `signal.reason` on abort.
 */
export async function probe(
  command: string,
  options: ProbeOptions,
  settings: Omit<RunSettings, "hidden">,
): Promise<ProbeRun> {
  const { cwd } = options;
  options.signal.throwIfAborted();
  const env = testEnvironment(process.env, cwd, settings.env);
  try {
    requireProgram(command, cwd, env);
  } catch (cause) {
    throw new LoopError(
      "verify_unavailable",
      `The probe "${command}" cannot be started in ${cwd}. Name a program that is installed here.`,
      { details: { command }, cause },
    );
  }
  const end = await runCommand(command, { ...options, ...settings, env, onStdout: () => {} });
  return {
    exit_code: end.exitCode,
    duration_ms: end.durationMs,
    output: asShown(end.outputTail),
    timed_out: end.timedOut,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** As a terminal would leave it: of a line that was written over and over the last state, nothing invisible. */
function asShown(output: string): string {
  const lines = output.split("\n").map((line) => {
    const text = line.replace(/\r$/, "");
    return text.slice(text.lastIndexOf("\r") + 1).replaceAll(INVISIBLE, "");
  });
  return lines.join("\n");
}

/** A first word that names a program and nothing else: no assignment, no quotes, no shell syntax. */
const PLAIN_WORD = /^[A-Za-z0-9_./+-]+$/;

/** Whether the word is a file that can be run, by itself or in a folder of PATH. */
function isProgram(word: string, cwd: string, env: Readonly<Record<string, string>>): boolean {
  const folders = word.includes("/") ? ["."] : (env.PATH ?? "").split(":");
  return folders.some((folder) => {
    const file = resolve(cwd, folder, word);
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}

/**
 * Throws `verify_unavailable` when the shell knows no program, builtin or function for the command's first
 * word: a missing tool is no failed test, and no agent can repair it.
 */
export function requireProgram(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): void {
  const word = command.trim().split(/\s/, 1)[0] ?? "";
  if (word === "") {
    throw new LoopError("verify_unavailable", "The test command is empty. Name one with --verify.");
  }
  if (process.platform === "win32" || !PLAIN_WORD.test(word)) return;
  if (existsSync(cwd) && isProgram(word, cwd, env)) return;
  // A builtin of the shell, or nothing.
  const found = spawnSync("/bin/sh", ["-c", 'command -v "$1"', "sh", word], {
    cwd,
    env,
    stdio: "ignore",
  });
  if (found.status === 0) return;
  const shortage = systemShortage(found.error);
  if (shortage) throw shortage;
  throw new LoopError(
    "verify_unavailable",
    found.error
      ? `The test command cannot be started in ${cwd}. Check that the folder exists.`
      : `The test command needs "${word}", which is not installed here. Install it, or name another test command: for a loop with --verify, to check a receipt with --command.`,
    { details: { command, program: word }, ...(found.error ? { cause: found.error } : {}) },
  );
}
