import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { Io, SignalName } from "../../src/index.ts";

/** An Io without a process: what was written can be read, keys can be typed, signals can be sent. */
export interface FakeIo extends Io {
  out(): string;
  err(): string;
  type(text: string): void;
  signal(name: SignalName): void;
}

/** The user's configuration folder of all fake terminals; give it to programs of the same user. */
export const CONFIG = mkdtempSync(join(tmpdir(), "ccw-config-"));
process.on("exit", () => rmSync(CONFIG, { recursive: true, force: true }));

interface Options {
  cwd?: string;
  env?: Record<string, string>;
  /** Whether stdin and stderr are a terminal; stdout never is. */
  tty?: boolean;
  columns?: number;
  rows?: number;
}

export function fakeIo({ cwd = "/", env = {}, tty = false, ...size }: Options = {}): FakeIo {
  const stdin = Object.assign(new PassThrough(), { isTTY: tty });
  const stdout = collector();
  const stderr = Object.assign(collector(), { isTTY: tty, ...size });
  const listeners = new Set<(signal: SignalName) => void>();
  return {
    stdin,
    stdout,
    stderr,
    // No configuration file of the machine may reach a test.
    env: { HOME: "/nonexistent", XDG_CONFIG_HOME: CONFIG, ...env },
    cwd,
    onSignal(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    out: () => stdout.text(),
    err: () => stderr.text(),
    type: (text) => void stdin.write(text),
    signal: (name) => {
      for (const listener of listeners) listener(name);
    },
  };
}

function collector() {
  const stream = new PassThrough();
  const parts: string[] = [];
  stream.on("data", (chunk: Buffer) => parts.push(chunk.toString("utf8")));
  return Object.assign(stream, { text: () => parts.join("") });
}
