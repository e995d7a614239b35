import type { Readable, Writable } from "node:stream";
import { errorText, isPlain, tryParseJson } from "@ccw-loop/core";
import { lineReader } from "./lines.ts";

/** Why a request was refused, in the words of who refused it. */
export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** A request, or a notification, which is one that wants no answer. */
export interface RpcRequest {
  method: string;
  params: unknown;
}

/** An answer to a request. */
export type RpcResponse = { result: unknown } | { error: RpcError };

/** What became of a request of ours; `lost` says in words why it has no answer. */
export type Reply = RpcResponse | { lost: string };

export interface PeerOptions {
  input: Readable;
  output: Writable;
  /** Who is on the other side, as the subject of a sentence. */
  name: string;
  onNotification: (notification: RpcRequest) => void;
  /** Our answer to a request of the other side; one that throws is a refusal. */
  answer: (request: RpcRequest) => Promise<RpcResponse>;
  /** A line that is no message; `what` is its beginning. */
  onNoise: (what: string) => void;
  /** Fields that every message of ours begins with, such as the version of the protocol. */
  header?: Readonly<Record<string, unknown>>;
}

type Id = string | number;

interface Pending {
  settle: (reply: Reply) => void;
  timer: NodeJS.Timeout | undefined;
}

const NOISE_SHOWN = 200;
const INTERNAL_ERROR = -32603;

/** One side of JSON-RPC over lines of JSON: requests, answers and notifications in both directions. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #pending = new Map<Id, Pending>();
  #nextId = 1;
  #ended: string | null = null;

  constructor(options: PeerOptions) {
    this.#options = options;
    options.output.on("error", () => undefined);
    const read = lineReader(
      (line) => this.#receive(line),
      (bytes) => options.onNoise(`a line of ${bytes} bytes`),
    );
    options.input.on("data", read);
  }

  /**
   * Never rejects: a refusal, a missing answer and the end of the other side are replies, too. `Infinity` waits until
   * the other side ends.
   */
  request(method: string, params: unknown, timeoutMs: number): Promise<Reply> {
    if (this.#ended !== null) return Promise.resolve({ lost: this.#ended });
    const id = this.#nextId++;
    const lost = `${this.#options.name} did not answer ${method} within ${timeoutMs / 1000} s`;
    return new Promise((settle) => {
      const timer = Number.isFinite(timeoutMs)
        ? setTimeout(() => this.#take(id)?.settle({ lost }), timeoutMs)
        : undefined;
      this.#pending.set(id, { settle, timer });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params?: unknown): void {
    this.#send({ method, params });
  }

  /** The other side is gone: every request, open or still to come, is lost for that reason. */
  end(reason: string): void {
    this.#ended = reason;
    for (const id of this.#pending.keys()) this.#take(id)?.settle({ lost: reason });
  }

  #send(message: object): void {
    this.#options.output.write(`${JSON.stringify({ ...this.#options.header, ...message })}\n`);
  }

  #receive(line: string): void {
    const message = tryParseJson(line);
    const { onNoise, onNotification } = this.#options;
    const { id, method, params } = isPlain(message) ? message : {};
    if (typeof method === "string") {
      if (isId(id)) void this.#answer(id, { method, params });
      else onNotification({ method, params });
    } else if (isPlain(message) && isId(id)) this.#take(id)?.settle(responseIn(message));
    else onNoise(line.slice(0, NOISE_SHOWN));
  }

  async #answer(id: Id, request: RpcRequest): Promise<void> {
    const refused = (error: unknown): RpcResponse => ({
      error: { code: INTERNAL_ERROR, message: errorText(error) },
    });
    this.#send({ id, ...(await this.#options.answer(request).catch(refused)) });
  }

  #take(id: Id): Pending | undefined {
    const pending = this.#pending.get(id);
    clearTimeout(pending?.timer);
    this.#pending.delete(id);
    return pending;
  }
}

function isId(id: unknown): id is Id {
  return typeof id === "string" || typeof id === "number";
}

/** An error in any shape is a refusal. */
function responseIn({ error, result }: Record<string, unknown>): RpcResponse {
  if (error === undefined || error === null) return { result };
  const { code, message, data } = isPlain(error) ? error : { message: error };
  const text = typeof message === "string" ? message : JSON.stringify(message ?? error);
  return { error: { code: typeof code === "number" ? code : 0, message: text, data } };
}
