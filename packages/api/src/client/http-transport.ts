import { isPlain, LoopError, opName, orAborted, parseLoopId } from "@ccw-loop/core";
import type { z } from "zod";
import { digest } from "../app/request-conditions.ts";
import { cannotConnect, errorFromAnswer, notOurAnswer, versionMismatch } from "./errors.ts";
import { checkedAddress, type LoopClientOptions, requireToken } from "./options.ts";

/** One request. */
export interface RequestSpec {
  method?: "GET" | "POST" | "DELETE";
  /** Behind the address, with its slash. */
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  /** Names a POST, so that its repetition happens once; made up unless given. */
  opId?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  /** It may take minutes: the server keeps its answer back for a while at most, and is asked again. */
  slow?: true;
  signal?: AbortSignal | undefined;
}

/** In seconds; what stands in between cuts a connection that says nothing for a minute. */
const WAIT = 25;

/** Requests to one address, and its answers or the errors that they are. */
export class HttpTransport {
  readonly address: string;
  readonly #options: LoopClientOptions;

  constructor(options: LoopClientOptions) {
    this.address = checkedAddress(options);
    requireToken(options.token);
    this.#options = options;
  }

  /** The answer as `schema` reads it. Throws the server's error, else `store_unavailable`. */
  async json<S extends z.ZodType>(ask: RequestSpec, schema: S): Promise<z.output<S>> {
    const named = ask.method === "POST" ? { ...ask, opId: await keyOf(ask.opId) } : ask;
    let { response, text } = await this.#answer(named);
    while (ask.slow && response.status === 202) ({ response, text } = await this.#answer(named));
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok) throw errorFromAnswer(this.address, response.status, type, text);
    if (!/\bjson\b/.test(type)) throw notOurAnswer(this.address, response.status, type);
    return this.read(schema, text);
  }

  #answer(ask: RequestSpec): Promise<{ response: Response; text: string }> {
    return this.#again(ask, async () => {
      const response = await this.#send(ask, "application/json");
      return { response, text: await orAborted(response.text(), ask.signal) };
    });
  }

  /** An answer that goes on; its type is checked, its body is not read. */
  async stream(
    ask: RequestSpec,
    type: string,
  ): Promise<Response & { body: ReadableStream<Uint8Array> }> {
    const response = await this.#again(ask, () => this.#send(ask, type));
    const found = response.headers.get("content-type") ?? "";
    if (!response.ok) {
      throw errorFromAnswer(this.address, response.status, found, await response.text());
    }
    if (!found.startsWith(type) || response.body === null) {
      await response.body?.cancel();
      throw notOurAnswer(this.address, response.status, found);
    }
    return response as Response & { body: ReadableStream<Uint8Array> };
  }

  /** JSON of an answer as `schema` reads it. Throws `store_unavailable` for what it does not understand. */
  read<S extends z.ZodType>(schema: S, json: string): z.output<S> {
    try {
      return parseInOrder(schema, json);
    } catch (error) {
      throw versionMismatch(this.address, error);
    }
  }

  /** A connection that broke before there was an answer is tried once more where that cannot happen twice. */
  async #again<T>(ask: RequestSpec, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (first) {
      if (ask.signal?.aborted) throw ask.signal.reason;
      if (first instanceof LoopError || ask.method === "DELETE") throw known(this.address, first);
    }
    try {
      return await attempt();
    } catch (error) {
      if (ask.signal?.aborted) throw ask.signal.reason;
      throw known(this.address, error);
    }
  }

  async #send(ask: RequestSpec, accept: string): Promise<Response> {
    const { method = "GET", path, query = {}, body, opId, headers, slow, signal } = ask;
    const { token, wait = WAIT, fetch = globalThis.fetch } = this.#options;
    const url = new URL(this.address + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const request = new Request(url, {
      method,
      redirect: "manual",
      headers: {
        accept,
        ...this.#options.headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(method === "POST" ? { "content-type": "application/json" } : {}),
        ...(opId === undefined ? {} : { "idempotency-key": opId }),
        ...(slow ? { prefer: `wait=${wait}` } : {}),
        ...headers,
      },
      ...(method === "POST" ? { body: JSON.stringify(body ?? {}) } : {}),
      ...(signal ? { signal } : {}),
    });
    return orAborted(Promise.resolve(fetch(request)), signal);
  }
}

function known(address: string, error: unknown): LoopError {
  return error instanceof LoopError ? error : cannotConnect(address, error);
}

/** As a header can carry it. */
async function keyOf(opId: string | undefined): Promise<string> {
  if (opId === undefined) return crypto.randomUUID();
  // What it asks for, the server reads from its body.
  const name = opName(opId);
  return /^[\x21-\x7e]{1,200}$/.test(name) ? name : digest(name);
}

/** JSON as `schema` reads it, with every object's fields in the order in which they came. Throws what zod throws. */
export function parseInOrder<S extends z.ZodType>(schema: S, json: string): z.output<S> {
  const value: unknown = JSON.parse(json);
  return inOrderOf(value, schema.parse(value)) as z.output<S>;
}

/** Zod answers in the order of its schema; what is printed here is to be what is printed where the loops are. */
function inOrderOf(came: unknown, read: unknown): unknown {
  if (Array.isArray(came) && Array.isArray(read)) {
    return read.map((item, at) => inOrderOf(came[at], item));
  }
  if (!isPlain(came) || !isPlain(read)) return read;
  const kept = Object.keys(came).filter((key) => Object.hasOwn(read, key));
  const added = Object.keys(read).filter((key) => !Object.hasOwn(came, key));
  return Object.fromEntries(
    [...kept, ...added].map((key) => [key, inOrderOf(came[key], read[key])] as const),
  );
}

export const LOOPS = "/api/loops/v2";

/** The path of a loop. Throws `invalid_id`: a URL is never built from an id that could lead elsewhere. */
export function loopPath(id: string, rest = ""): string {
  return `${LOOPS}/${parseLoopId(id)}${rest}`;
}
