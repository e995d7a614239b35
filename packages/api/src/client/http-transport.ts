import { LoopError, opName, orAborted, parseLoopId } from "@ccw-loop/core";
import type { z } from "zod";
import { digest, hex } from "../app/request-conditions.ts";
import type { Operation } from "../contract/operation.ts";
import { cannotConnect, errorFromAnswer, notOurAnswer, typeOf, versionMismatch } from "./errors.ts";
import {
  checkedAddress,
  type LoopClientOptions,
  RECONNECT,
  type Reconnect,
  requireToken,
} from "./options.ts";

/** What a request fills into its operation. */
export interface Filling {
  id?: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  /** Names a POST, so that its repetition happens once; made up unless given. */
  opId?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

export type JsonOperation<S extends z.ZodType> = Operation & { answer: { json: S } };

/** Seconds for which the server may keep back an answer that takes long; what stands in between cuts after a minute. */
const WAIT = 25;

export class HttpTransport {
  readonly address: string;
  readonly reconnect: Reconnect;
  readonly #options: LoopClientOptions;

  constructor(options: LoopClientOptions) {
    this.address = checkedAddress(options);
    requireToken(options.token);
    this.reconnect = { ...RECONNECT, ...options.reconnect };
    this.#options = options;
  }

  /** The answer as the operation's schema reads it. Throws the server's error, else `store_unavailable`. */
  async json<S extends z.ZodType>(
    operation: JsonOperation<S>,
    filling: Filling,
  ): Promise<z.output<S>> {
    const opId = operation.method === "post" ? await keyOf(filling.opId) : undefined;
    const answer = () =>
      this.#again(operation, filling.signal, async () => {
        const response = await this.#send(operation, { ...filling, opId }, "application/json");
        return { response, text: await orAborted(response.text(), filling.signal) };
      });
    let { response, text } = await answer();
    // The server keeps a slow answer back for a while at most, and is asked again.
    while (operation.slow && response.status === 202) ({ response, text } = await answer());
    if (!response.ok) throw errorFromAnswer(this.address, response, text);
    if (!/\bjson\b/.test(typeOf(response))) throw notOurAnswer(this.address, response);
    return this.read(operation.answer.json, text);
  }

  /** An answer that goes on; its type is checked, its body is not read. */
  async stream(
    operation: Operation,
    filling: Filling,
    type: string,
  ): Promise<Response & { body: ReadableStream<Uint8Array> }> {
    const response = await this.#again(operation, filling.signal, () =>
      this.#send(operation, filling, type),
    );
    if (!response.ok) throw errorFromAnswer(this.address, response, await response.text());
    if (!typeOf(response).startsWith(type) || response.body === null) {
      await response.body?.cancel();
      throw notOurAnswer(this.address, response);
    }
    return response as Response & { body: ReadableStream<Uint8Array> };
  }

  /**
   * JSON of an answer that fits its schema, as it came: the server's store has filled in what may be missing, and what is
   * printed here is to be what is printed where the loops are. Throws `store_unavailable` for what it does not understand.
   */
  read<S extends z.ZodType>(schema: S, json: string): z.output<S> {
    try {
      const value: unknown = JSON.parse(json);
      schema.parse(value);
      return value as z.output<S>;
    } catch (error) {
      throw versionMismatch(this.address, error);
    }
  }

  /** A connection that broke before there was an answer is tried once more where that cannot happen twice. */
  async #again<T>(
    { method }: Pick<Operation, "method">,
    signal: AbortSignal | undefined,
    attempt: () => Promise<T>,
    last = method === "delete",
  ): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof LoopError) throw error;
      if (last) throw cannotConnect(this.address, error);
      return this.#again({ method }, signal, attempt, true);
    }
  }

  async #send(
    { method, path, slow }: Operation,
    { id = "", query = {}, body = {}, opId, headers, signal }: Filling,
    accept: string,
  ): Promise<Response> {
    const { token, fetch = globalThis.fetch } = this.#options;
    // Throws `invalid_id`: a URL is never built from an id that could lead elsewhere.
    const url = new URL(this.address + path.replace(":id", () => parseLoopId(id)));
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const request = new Request(url, {
      method: method.toUpperCase(),
      redirect: "manual",
      headers: {
        accept,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(method === "post" ? { "content-type": "application/json" } : {}),
        ...(opId === undefined ? {} : { "idempotency-key": opId }),
        ...(slow ? { prefer: `wait=${WAIT}` } : {}),
        ...headers,
      },
      ...(method === "post" ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    });
    return orAborted(Promise.resolve(fetch(request)), signal);
  }
}

/** As a header can carry it. */
async function keyOf(opId: string | undefined): Promise<string> {
  // Pages that came without TLS have no `randomUUID`.
  if (opId === undefined) return hex(crypto.getRandomValues(new Uint8Array(16)));
  // What it asks for, the server reads from its body.
  const name = opName(opId);
  return /^[\x21-\x7e]{1,200}$/.test(name) ? name : digest(name);
}
