import { type ChildProcess, spawn } from "node:child_process";
import { access, chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, vi } from "vitest";
import { place } from "./place.ts";

/** A process that stands still right before a git command of its own. */
export interface Suspended {
  /** Lets it go on; resolves with what it printed. */
  resume(): Promise<string>;
}

/**
 * Runs a script of this folder and suspends it, with all that it started, before its first `git update-ref`; resolves
 * when it stands still.
 */
export async function suspendedBeforeUpdateRef(script: string, cwd: string): Promise<Suspended> {
  const bin = await place();
  const mark = join(bin, "suspended");
  await writeFile(
    join(bin, "git"),
    `#!/bin/sh
PATH=\${PATH#*${delimiter}}
case " $* " in
*" update-ref "*) [ -e "${mark}" ] || { touch "${mark}"; kill -STOP 0; } ;;
esac
exec git "$@"
`,
  );
  await chmod(join(bin, "git"), 0o755);
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
    detached: true,
    env: { ...process.env, PATH: [bin, process.env.PATH].join(delimiter), CWD: cwd },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => end(child));
  const printed = text(child.stdout);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await vi.waitFor(() => access(mark), { timeout: 20_000, interval: 20 });
  return {
    async resume() {
      process.kill(-(child.pid ?? 0), "SIGCONT");
      expect(await ended).toBe(0);
      return printed;
    },
  };
}

function end({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGKILL");
}
