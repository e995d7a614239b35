import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { packageFolder } from "../own-package.ts";
import { once } from "./once.ts";
import type { Caller } from "./program-call.ts";

/** `SIGPIPE` means here: whoever read standard output is gone. */
export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGPIPE";

export type Output = Writable & {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
};

/** Everything a command sees of the process it runs in; a test gives its own. */
export interface Io {
  readonly stdin: Readable & { isTTY?: boolean | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** For commands that are to be typed next; without one they are shown as plain `ccw-loop`. */
  readonly caller?: Caller;
  /** Calls `listener` on every signal until the returned function is called. Without a listener a signal kills. */
  onSignal?(listener: (signal: SignalName) => void): () => void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The Io of this process. Streams are opened when they are first used, because opening one costs
 * milliseconds. A closed pipe behind stdout is a signal, never a crash.
 */
export function processIo(): Io {
  const listeners = new Set<(signal: SignalName) => void>();
  const stdout = once(() => {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") {
        for (const listener of listeners) listener("SIGPIPE");
        return;
      }
      process.stderr.write(`ccw-loop: Cannot write to standard output: ${error.message}\n`);
      process.exit(5);
    });
    return process.stdout;
  });
  const stderr = once(() => process.stderr.on("error", () => undefined));
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return stdout();
    },
    get stderr() {
      return stderr();
    },
    env: process.env,
    // Throws when that folder is gone, which only those need to know who work in it.
    get cwd() {
      return process.cwd();
    },
    get caller() {
      return {
        bin: fileURLToPath(new URL("bin/ccw-loop.js", packageFolder)),
        execPath: process.execPath,
        cwd: folderHere(),
        path: process.env.PATH,
      };
    },
    onSignal(listener) {
      keepYoungGenerationSmall();
      listeners.add(listener);
      for (const name of SIGNALS) process.on(name, listener);
      return () => {
        listeners.delete(listener);
        for (const name of SIGNALS) process.off(name, listener);
      };
    },
  };
}

/**
 * New objects get the little memory that V8 has given them so far, and no more as their number grows: a quarter less memory in all.
 * For commands that work for long, which are those that hear signals: the others would only be slower.
 */
function keepYoungGenerationSmall(): void {
  process.getBuiltinModule("node:v8").setFlagsFromString("--semi-space-growth-factor=1");
}

function folderHere(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/**
 * Whether a stream gets colors. First answer that there is: `--no-color`, NO_COLOR, FORCE_COLOR, TERM=dumb,
 * and then whether it is a terminal.
 */
export function wantsColor(io: Io, stream: Output, flag: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  if (!flag || (NO_COLOR ?? "") !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return TERM !== "dumb" && stream.isTTY === true;
}
