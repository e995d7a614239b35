import { tryParseJson } from "@ccw-loop/core";
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

/** The answer to a request of ours, or why there is none. */
export type Reply<T> = { ok: true; result: T } | { ok: false; failure: Failure };

export interface PeerOptions {
  send: (line: string) => void;
  onNotification: (notification: Notification) => void;
  answer: (request: ServerRequest) => Promise<ServerAnswer>;
  /** A line that is no message. */
  onUnreadableLine: (line: string) => void;
}

interface Pending {
  method: string;
  settle: (reply: Reply<unknown>) => void;
  timer: NodeJS.Timeout | undefined;
}

/** Requests, answers and notifications over lines of JSON, in both directions. */
export class RpcPeer {
  readonly #options: PeerOptions;
  readonly #pending = new Map<RequestId, Pending>();
  #nextId = 1;
  #gone: Failure | null = null;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /** Never rejects: a refusal, a timeout and the end of the process are replies too. */
  async request<T>(
    method: string,
    params: unknown,
    shape: z.ZodType<T>,
    timeoutMs: number,
  ): Promise<Reply<T>> {
    if (this.#gone) return { ok: false, failure: this.#gone };
    const id = this.#nextId++;
    const reply = await new Promise<Reply<unknown>>((settle) => {
      const timer = Number.isFinite(timeoutMs)
        ? setTimeout(() => this.#timeOut(id, method, timeoutMs), timeoutMs)
        : undefined;
      this.#pending.set(id, { method, settle, timer });
      this.#options.send(JSON.stringify({ method, id, params }));
    });
    if (!reply.ok) return reply;
    const parsed = shape.safeParse(reply.result);
    if (parsed.success) return { ok: true, result: parsed.data };
    const message = `Codex answered ${method} in a shape that we cannot read: ${z.prettifyError(parsed.error)}`;
    return { ok: false, failure: { kind: "other", message } };
  }

  notify(method: string): void {
    this.#options.send(JSON.stringify({ method }));
  }

  /** Takes one line from the other side. */
  receive(line: string): void {
    const message = Message.safeParse(tryParseJson(line)).data;
    if (!message) this.#options.onUnreadableLine(line);
    else if (message.method === undefined) this.#settle(message);
    else if (message.id === undefined) {
      this.#options.onNotification(readNotification(message.method, message.params));
    } else {
      void this.#answer(message.id, { method: message.method, params: message.params });
    }
  }

  /** The other side is gone: every open and every later request gets this failure. */
  end(failure: Failure): void {
    this.#gone ??= failure;
    for (const [id] of this.#pending) this.#take(id)?.settle({ ok: false, failure });
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

  async #answer(id: RequestId, request: ServerRequest): Promise<void> {
    const answer = await this.#options.answer(request);
    this.#options.send(JSON.stringify({ id, ...answer }));
  }
}

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Cuts a stream of bytes into lines at `\n` alone (other line ends are legal inside JSON). Lines may be many
 * megabytes long; one above `maxBytes` is dropped and told to `onDropped`.
 */
export function lineReader(
  onLine: (line: string) => void,
  onDropped: (bytes: number) => void = () => undefined,
  maxBytes = MAX_LINE_BYTES,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;

  const add = (part: Buffer) => {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts = [];
  };
  const finish = () => {
    if (size > maxBytes) onDropped(size);
    else if (size > 0) onLine(Buffer.concat(parts).toString("utf8"));
    parts = [];
    size = 0;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    add(chunk.subarray(start));
  };
}
