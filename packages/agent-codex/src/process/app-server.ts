import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { tryParseJson } from "@ccw-loop/core";
import { outputTail } from "@ccw-loop/processes";
import { z } from "zod";
import { classifyRefusal, type Failure } from "../failure/failure.ts";
import {
  Message,
  type Notification,
  type RequestId,
  readNotification,
  type ServerAnswer,
  type ServerRequest,
} from "../protocol.ts";
import type { ConversationSpec } from "../session/conversation-spec.ts";
import { lineReader } from "./lines.ts";

const STDERR_KEPT = 16 * 1024;
/** After the process ended its last words may still be in the pipe. */
const DRAIN_MS = 500;

export interface AppServerSpec
  extends Pick<ConversationSpec, "binary" | "env" | "cwd" | "family" | "commands" | "limits"> {
  args: readonly string[];
  onNotification: (notification: Notification) => void;
  answer: (request: ServerRequest) => Promise<ServerAnswer>;
}

/** The answer to a request of ours, or why there is none. */
export type Reply<T> = { ok: true; result: T } | { ok: false; failure: Failure };

interface Pending {
  method: string;
  settle: (reply: Reply<unknown>) => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * One `codex app-server` process, in a process group of its own, spoken to over its pipes: requests, answers and
 * notifications as lines of JSON, in both directions.
 */
export class AppServer {
  readonly #spec: AppServerSpec;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<RequestId, Pending>();
  #nextId = 1;
  readonly #stderr = outputTail({ bytes: STDERR_KEPT });
  #ended: Failure | null = null;
  /** Resolves when the process is gone and everything it said was read; with how it ended. */
  readonly exited: Promise<Failure>;

  constructor(spec: AppServerSpec) {
    const { binary, args, env, cwd, family, commands, onNotification } = spec;
    this.#spec = spec;
    const child = family.spawn(binary, args, { cwd, env, stdio: "pipe" });
    if (child.pid !== undefined) commands.startedBy(child.pid);
    this.#child = child;
    child.stdin.on("error", () => undefined);
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.write(chunk));
    const read = lineReader(
      (line) => this.#receive(line),
      (bytes) => onNotification(unreadableNotification(`a line of ${bytes} bytes`)),
    );
    child.stdout.on("data", read);
    this.exited = this.#watch(child.stdout, child.stderr);
  }

  get alive(): boolean {
    return this.#ended === null;
  }

  /**
   * Never rejects: a refusal, a timeout and the end of the process are replies too. `timeoutMs` is for requests that
   * may take longer than others; `Infinity` waits for ever.
   */
  async request<T>(
    method: string,
    params: unknown,
    shape: z.ZodType<T>,
    timeoutMs = this.#spec.limits.requestMs,
  ): Promise<Reply<T>> {
    if (this.#ended) return { ok: false, failure: this.#ended };
    const id = this.#nextId++;
    const reply = await new Promise<Reply<unknown>>((settle) => {
      const timer = Number.isFinite(timeoutMs)
        ? setTimeout(() => this.#timeOut(id, method, timeoutMs), timeoutMs)
        : undefined;
      this.#pending.set(id, { method, settle, timer });
      this.#send({ method, id, params });
    });
    if (!reply.ok) return reply;
    const parsed = shape.safeParse(reply.result);
    if (parsed.success) return { ok: true, result: parsed.data };
    const message = `Codex answered ${method} in a shape that we cannot read: ${z.prettifyError(parsed.error)}`;
    return { ok: false, failure: { kind: "other", message } };
  }

  notify(method: string): void {
    this.#send({ method });
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

  #send(message: Message): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #receive(line: string): void {
    const { onNotification } = this.#spec;
    const message = Message.safeParse(tryParseJson(line)).data;
    if (!message) onNotification(unreadableNotification(line.slice(0, 200)));
    else if (message.method === undefined) this.#settle(message);
    else if (message.id === undefined) {
      onNotification(readNotification(message.method, message.params));
    } else {
      void this.#answer(message.id, { method: message.method, params: message.params });
    }
  }

  async #answer(id: RequestId, request: ServerRequest): Promise<void> {
    this.#send({ id, ...(await this.#spec.answer(request)) });
  }

  #settle({ id, error, result }: Message): void {
    const pending = id === undefined ? undefined : this.#take(id);
    if (!pending) return;
    if (error) pending.settle({ ok: false, failure: classifyRefusal(pending.method, error) });
    else pending.settle({ ok: true, result });
  }

  #timeOut(id: RequestId, method: string, timeoutMs: number): void {
    const message = `Codex did not answer ${method} within ${timeoutMs / 1000} s`;
    this.#take(id)?.settle({ ok: false, failure: { kind: "crash", message } });
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id);
    clearTimeout(pending?.timer);
    this.#pending.delete(id);
    return pending;
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
    for (const [id] of this.#pending) this.#take(id)?.settle({ ok: false, failure });
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
