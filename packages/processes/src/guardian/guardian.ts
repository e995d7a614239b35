import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { signal } from "../end-all.ts";
import { thisProcess } from "../identity.ts";
import { ownerKey } from "../mark.ts";
import { GUARDIAN_SCRIPT } from "./script.ts";

/** So often a guardian that was ended is replaced; without one, only the next start of ccw-loop cleans up. */
const MOST_GUARDIANS = 5;

/**
 * Sees to it that no group outlives this process, however it ends: a small shell in a session of its own that holds
 * the other end of a pipe. It is started with the first group, and does not keep this process alive.
 */
class Guardian {
  readonly #groups = new Map<number, string>();
  #shell: ChildProcess | null = null;
  #started = 0;

  /** Must be there before the first child is, so that there is no child without it. */
  ready(): void {
    if (process.platform === "win32" || this.#shell || this.#started >= MOST_GUARDIANS) return;
    if (this.#started === 0) process.once("exit", () => this.#killNow());
    this.#started += 1;
    const key = ownerKey(thisProcess());
    const shell = spawn("/bin/sh", ["-c", GUARDIAN_SCRIPT, "ccw-loop-guardian", key], {
      cwd: "/",
      detached: true,
      env: { PATH: process.env.PATH || "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#shell = shell;
    const gone = () => {
      if (this.#shell === shell) this.#shell = null;
      if (this.#groups.size > 0) this.ready();
    };
    shell.once("error", gone).once("exit", gone);
    // Without streams where too many files are open.
    const stdin = shell.stdin as Writable | undefined;
    stdin?.on("error", () => undefined);
    shell.unref();
    if (stdin && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
    for (const [pid, started] of this.#groups) this.#tell(`+ ${pid} ${started}`);
  }

  watch(pid: number, started: string): void {
    this.#groups.set(pid, started);
    this.#tell(`+ ${pid} ${started}`);
  }

  forget(pid: number): void {
    if (this.#groups.delete(pid)) this.#tell(`- ${pid}`);
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }

  #killNow(): void {
    for (const pid of this.#groups.keys()) signal(-pid, "SIGKILL");
  }
}

/** One for this process, whoever starts processes in it. */
export const guardian = new Guardian();
