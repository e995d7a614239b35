import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { removeFolder, temporaryFolder } from "../../../support/folders.ts";

export interface PtyOptions {
  cwd: string;
  env?: Record<string, string>;
  columns?: number;
  rows?: number;
}

/** A command in a terminal of `script` (util-linux), read by a terminal emulator: every change is seen at its time. */
export interface Pty extends AsyncDisposable {
  /** Of the command itself; `script` and its shell are not measured. */
  pid(): number;
  /** Bytes and clearings of the whole screen up to now. */
  written(): { bytes: number; clears: number };
  /** Resolves with the ms since `since` once the screen matches. Throws after a minute. */
  shows(wanted: RegExp, since?: number): Promise<number>;
  /** Presses keys and answers how many ms it took until the screen is as they make it. */
  paints(keys: string, wanted: RegExp): Promise<number>;
  screen(): string;
}

const PATIENCE_MS = 60_000;
const CLEAR = "\u001b[2J";

export async function pty(command: readonly string[], options: PtyOptions): Promise<Pty> {
  const { cwd, env = {}, columns: cols = 120, rows = 40 } = options;
  const folder = temporaryFolder("pty");
  const pidFile = join(folder, "pid");
  const words = command.map((word) => `'${word}'`).join(" ");
  const line = `stty cols ${cols} rows ${rows}; echo $$ > ${pidFile}; exec ${words}`;
  const basics = { PATH: process.env.PATH, TERM: "xterm-256color", LC_ALL: "C.UTF-8" };
  const child = spawn("script", ["-qfec", line, "/dev/null"], {
    cwd,
    env: { ...basics, SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const terminal = new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  const written = { bytes: 0, clears: 0 };
  const watching = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    written.bytes += chunk.length;
    written.clears += chunk.toString("latin1").split(CLEAR).length - 1;
    terminal.write(chunk, () => {
      for (const look of watching) look();
    });
  });
  const screen = () => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: rows }, (_, y) =>
      active.getLine(y)?.translateToString(true),
    );
    return lines.join("\n");
  };
  /** From what comes next where it is not asked for what is there already. */
  const matches = async (wanted: RegExp, since: number, already: boolean) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const look = () => {
      if (wanted.test(screen())) resolve(performance.now() - since);
    };
    const late = setTimeout(() => {
      reject(new Error(`${wanted} was never shown, but:\n${screen()}`));
    }, PATIENCE_MS);
    watching.add(look);
    if (already) look();
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      watching.delete(look);
    }
  };
  return {
    pid: () => Number(readFileSync(pidFile, "utf8")),
    written: () => ({ ...written }),
    shows: (wanted, since = performance.now()) => matches(wanted, since, true),
    paints(keys, wanted) {
      const since = performance.now();
      child.stdin.write(keys);
      return matches(wanted, since, false);
    },
    screen,
    async [Symbol.asyncDispose]() {
      const gone = child.exitCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await gone;
      terminal.dispose();
      removeFolder(folder);
    },
  };
}
