import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { outputTail } from "@ccw-loop/processes";
import type { z } from "zod";
import type { Failure } from "../failure/failure.ts";
import type { Notification } from "../protocol.ts";
import type { ConversationSpec } from "../session/conversation-spec.ts";
import { lineReader, type PeerOptions, type Reply, RpcPeer } from "./json-rpc.ts";

const STDERR_KEPT = 16 * 1024;
/** After the process ended its last words may still be in the pipe. */
const DRAIN_MS = 500;

export interface AppServerSpec
  extends Pick<ConversationSpec, "binary" | "env" | "cwd" | "family" | "commands" | "limits">,
    Pick<PeerOptions, "onNotification" | "answer"> {
  args: readonly string[];
}

/** One `codex app-server` process, in a process group of its own, spoken to over its pipes. */
export class AppServer {
  readonly #spec: AppServerSpec;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #peer: RpcPeer;
  readonly #stderr = outputTail({ bytes: STDERR_KEPT });
  #ended: Failure | null = null;
  /** Resolves when the process is gone and everything it said was read; with how it ended. */
  readonly exited: Promise<Failure>;

  constructor(spec: AppServerSpec) {
    const { binary, args, env, cwd, family, commands, onNotification, answer } = spec;
    this.#spec = spec;
    const child = family.spawn(binary, args, { cwd, env, stdio: "pipe" });
    if (child.pid !== undefined) commands.startedBy(child.pid);
    this.#child = child;
    this.#peer = new RpcPeer({
      send: (line) => child.stdin.write(`${line}\n`),
      onNotification,
      answer,
      onUnreadableLine: (line) => onNotification(unreadableNotification(line.slice(0, 200))),
    });
    child.stdin.on("error", () => undefined);
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.write(chunk));
    const read = lineReader(
      (line) => this.#peer.receive(line),
      (bytes) => onNotification(unreadableNotification(`a line of ${bytes} bytes`)),
    );
    child.stdout.on("data", read);
    this.exited = this.#watch(child.stdout, child.stderr);
  }

  get alive(): boolean {
    return this.#ended === null;
  }

  /** `timeoutMs` is for requests that may take longer than others; `Infinity` waits for ever. */
  request<T>(
    method: string,
    params: unknown,
    shape: z.ZodType<T>,
    timeoutMs = this.#spec.limits.requestMs,
  ): Promise<Reply<T>> {
    return this.#peer.request(method, params, shape, timeoutMs);
  }

  notify(method: string): void {
    this.#peer.notify(method);
  }

  /** Lets the process leave by itself, then TERM, then KILL; nothing of it is alive afterwards. */
  async close(): Promise<void> {
    const { family, limits } = this.#spec;
    this.#child.stdin.end();
    if (!(await isDoneWithin(limits.closeMs, this.exited)))
      await family.end({ graceMs: limits.closeMs });
    await this.kill();
  }

  /** Ends the process and every command of it now. */
  async kill(): Promise<void> {
    const { family, commands } = this.#spec;
    await Promise.all([family.end({ graceMs: 0 }), commands.end({ graceMs: 0 })]);
    await this.exited;
  }

  async #watch(stdout: Readable, stderr: Readable): Promise<Failure> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    this.#child.once("exit", (code, signal) => {
      resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
    // Nobody can speak with one that has closed its output; an exit is told a moment after that.
    stdout.once("close", () => setTimeout(resolve, DRAIN_MS, "closed its output").unref());
    const how = await promise;
    // Others of it may outlive its first process, and hold the pipes.
    await this.#spec.family.end({ graceMs: 0 });
    await Promise.all([stdout, stderr].map(drain));
    const failure: Failure = { kind: "crash", message: `Codex ${how}${this.#complaint()}` };
    this.#ended = failure;
    this.#peer.end(failure);
    return failure;
  }

  /** What it complained about before it left; its log on stderr is full of harmless errors. */
  #complaint(): string {
    const lines = this.#stderr.text().split("\n");
    const complaint = lines.findLast((line) => /^(?:error|fatal)\b|panicked/i.test(line));
    return complaint ? `; it said: ${complaint.slice(0, 500).trim().replace(/\.$/, "")}` : "";
  }
}

/** Whether the work is done after at most `ms`. */
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

function unreadableNotification(what: string): Notification {
  return { method: "unreadable", original: "a line", problem: what };
}
