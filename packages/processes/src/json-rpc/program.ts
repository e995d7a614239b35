import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { errorText, LoopError } from "@ccw-loop/core";
import { outputTail } from "../output-tail.ts";
import type { ProcessTree } from "../process-tree.ts";
import { Peer, type PeerOptions, type Reply } from "./peer.ts";

const STDERR_KEPT = 16 * 1024;
/** After the process ended its last words may still be in the pipe. */
const DRAIN_MS = 500;

export interface RpcProgramSpec extends Omit<PeerOptions, "input" | "output"> {
  /** To which it belongs, with everything that it starts; nothing else belongs to it. */
  tree: ProcessTree;
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** A program that is spoken to over its pipes, in a process group of its own. */
export class RpcProgram {
  readonly #tree: ProcessTree;
  readonly #name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #peer: Peer;
  readonly #stderr = outputTail({ bytes: STDERR_KEPT });
  #alive = true;
  /** Resolves when the process is gone and everything it said was read, with how it ended: `NAME ended with exit code 3`. */
  readonly exited: Promise<string>;

  constructor({ tree, file, args, env, cwd, ...peer }: RpcProgramSpec) {
    this.#tree = tree;
    this.#name = peer.name;
    const child = tree.spawn(file, args, { cwd, env, stdio: "pipe" });
    this.#child = child;
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.write(chunk));
    this.#peer = new Peer({ ...peer, input: child.stdout, output: child.stdin });
    this.exited = this.#watch(child.stdout, child.stderr);
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get alive(): boolean {
    return this.#alive;
  }

  request(method: string, params: unknown, timeoutMs: number): Promise<Reply> {
    return this.#peer.request(method, params, timeoutMs);
  }

  notify(method: string, params?: unknown): void {
    this.#peer.notify(method, params);
  }

  /** Ends its input and lets it leave by itself, then TERM, then KILL; nothing of its tree is alive afterwards. */
  async close(graceMs: number): Promise<void> {
    this.#child.stdin.end();
    if (!(await isDoneWithin(graceMs, this.exited))) await this.#tree.end({ graceMs });
    await this.kill();
  }

  /** Throws `system_unavailable` when something of its tree cannot be ended. */
  async kill(): Promise<void> {
    const left = await this.#tree.end({ graceMs: 0 });
    if (left.length > 0) throw cannotBeEnded(this.#name, left);
    await this.exited;
  }

  async #watch(stdout: Readable, stderr: Readable): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    this.#child.once("exit", (code, signal) => {
      resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
    // Nobody can speak with one that has closed its output; an exit is told a moment after that.
    stdout.once("close", () => setTimeout(resolve, DRAIN_MS, "closed its output").unref());
    const how = await promise;
    // Others of it may outlive its first process, and hold the pipes.
    const left = await this.#endRest();
    await Promise.all([stdout, stderr].map(drain));
    const reason = `${this.#name} ${how}${this.#complaint()}${left}`;
    this.#alive = false;
    this.#peer.end(reason);
    return reason;
  }

  /** What could not be ended of it, as the end of a sentence. */
  async #endRest(): Promise<string> {
    const left = await this.#tree.end({ graceMs: 0 }).catch(errorText);
    return left.length === 0 ? "" : `; what it left could not be ended: ${left}`;
  }

  /** What it complained about before it left; its log on stderr may be full of harmless errors. */
  #complaint(): string {
    const lines = this.#stderr.text().split("\n");
    const complaint = lines.findLast((line) => /^(?:error|fatal|bwrap)\b|panicked/i.test(line));
    return complaint ? `; it said: ${complaint.slice(0, 500).trim().replace(/\.$/, "")}` : "";
  }
}

function cannotBeEnded(name: string, pids: readonly number[]): LoopError {
  const message = `Processes of ${name} do not end: ${pids.join(", ")}. See what holds them, or restart the machine.`;
  return new LoopError("system_unavailable", message, { details: { pids } });
}

export async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timeout = new AbortController();
  const late = delay(ms, false, { signal: timeout.signal }).catch(() => true);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timeout.abort();
  }
}

async function drain(pipe: Readable): Promise<void> {
  if (pipe.closed) return;
  const signal = AbortSignal.timeout(DRAIN_MS);
  await once(pipe, "close", { signal }).catch(() => undefined);
}
