import type { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { Terminal } from "../../src/effects/terminal.ts";

/** A terminal in memory: what is typed into it, and everything that was written to it. */
export interface FakeTerminal extends Terminal {
  type(bytes: string): void;
  resize(columns: number, rows: number): void;
  /** Everything that was written so far. */
  written(): string;
  isRaw(): boolean;
}

export function fakeTerminal(columns = 80, rows = 24): FakeTerminal {
  let raw = false;
  let written = "";
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(on: boolean) {
      raw = on;
      return stdin;
    },
    ref: () => stdin,
    unref: () => stdin,
  });
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      written += chunk;
      done();
    },
  });
  const stdout = Object.assign(sink, { isTTY: true, columns, rows });
  return {
    stdin,
    stdout,
    stderr: new PassThrough(),
    type: (bytes) => void stdin.write(bytes),
    resize(wide, high) {
      Object.assign(stdout, { columns: wide, rows: high });
      (stdout as EventEmitter).emit("resize");
    },
    written: () => written,
    isRaw: () => raw,
  };
}
