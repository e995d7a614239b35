import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { LoopError } from "@ccw-loop/core";
import { signal } from "../end-all.ts";
import { thisProcess } from "../identity.ts";
import { ownerKey } from "../mark.ts";
import { ticksNow } from "../table.ts";
import { GUARDIAN_SCRIPT } from "./script.ts";

/** So often in a row a guardian that was ended is replaced. */
const MOST_GUARDIANS = 5;
/** One that lived so long begins a new row. */
const LONG_LIFE_MS = 60_000;

interface Group {
  started: string;
  mark: string;
}

/**
 * Ends groups that nobody else can end any more: all of them when this process dies, however it ends, and those of a
 * lease when it is not renewed in time, be this process suspended or not. It is a small shell in a session of its own
 * that holds the other end of a pipe, is started with the first group, and does not keep this process alive.
 */
class Guardian {
  readonly #groups = new Map<number, Group>();
  /** When the processes of each lease end, in milliseconds of `performance.now()`. */
  readonly #leases = new Map<string, number>();
  #shell: ChildProcess | null = null;
  #started = 0;
  #startedAt = 0;

  /**
   * Must be there before the first child is, so that there is no child without it. Throws `internal` where guardians
   * are ended again and again.
   */
  ready(): void {
    if (process.platform === "win32" || this.#shell) return;
    if (performance.now() - this.#startedAt > LONG_LIFE_MS) this.#started = 0;
    if (this.#started >= MOST_GUARDIANS) {
      throw new LoopError(
        "internal",
        `The guardian of process ${process.pid}, a /bin/sh called ccw-loop-guardian, was ended ${MOST_GUARDIANS} times, ` +
          "so nothing is started that it could not end. Find out what ends it, then try again.",
      );
    }
    if (this.#startedAt === 0) process.once("exit", () => this.#killNow());
    this.#started += 1;
    this.#startedAt = performance.now();
    this.#shell = this.#start();
    for (const [pid, { started }] of this.#groups) this.#tell(`+ ${pid} ${started}`);
    for (const [lease, until] of this.#leases) this.#tellLease(lease, until);
  }

  watch(pid: number, group: Group): void {
    this.#groups.set(pid, group);
    this.#tell(`+ ${pid} ${group.started}`);
    for (const [lease, until] of this.#leases) {
      if (group.mark.startsWith(lease)) this.#tellLease(lease, until);
    }
  }

  forget(pid: number): void {
    if (this.#groups.delete(pid)) this.#tell(`- ${pid}`);
  }

  /** What has a mark that begins with `lease` lives until then, unless it is told again; null for as long as this process. */
  keepAlive(lease: string, until: number | null): void {
    if (until !== null) {
      this.#leases.set(lease, until);
      this.#tellLease(lease, until);
    } else if (this.#leases.delete(lease)) this.#tell(`/ ${lease}`);
  }

  /** Whether the time of the lease under which something with this mark would work is over. */
  isOver(mark: string): boolean {
    const now = performance.now();
    return [...this.#leases].some(([lease, until]) => mark.startsWith(lease) && until <= now);
  }

  #start(): ChildProcess {
    const key = ownerKey(thisProcess());
    const shell = spawn("/bin/sh", ["-c", GUARDIAN_SCRIPT, "ccw-loop-guardian", key], {
      cwd: "/",
      detached: true,
      env: { PATH: process.env.PATH || "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell.once("error", () => this.#gone(shell)).once("exit", () => this.#gone(shell));
    // Without streams where too many files are open.
    const stdin = shell.stdin as Writable | undefined;
    stdin?.on("error", () => undefined);
    shell.unref();
    if (stdin && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
    return shell;
  }

  #gone(shell: ChildProcess): void {
    if (this.#shell !== shell) return;
    this.#shell = null;
    // What it left behind knows nothing of later renewals.
    if (shell.pid !== undefined) signal(-shell.pid, "SIGKILL");
    if (this.#groups.size === 0) return;
    try {
      this.ready();
    } catch {
      this.#killNow();
    }
  }

  #tellLease(lease: string, until: number): void {
    // In this order: suspended in between, they have too little time, not too much.
    const now = ticksNow() ?? 0;
    const left = Math.floor((until - performance.now()) / 10);
    const groups = [...this.#groups].filter(([, { mark }]) => mark.startsWith(lease));
    const words = groups.map(([pid, { started }]) => `${pid}:${started}`);
    this.#tell(`= ${[lease, left, now, ...words].join(" ")}`);
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
