import {
  errorText,
  isLoopError,
  isPlain,
  type LoopCommand,
  LoopError,
  type LoopService,
  type LoopState,
  parseLoopId,
} from "@ccw-loop/core";
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { exact, type Operation } from "../contract/operation.ts";
import { OPERATIONS } from "../contract/operations.ts";
import type { Client } from "../guard/clients.ts";
import type { Live } from "../live/live.ts";
import { errorAnswer, HttpError } from "./http-error.ts";
import type { IdempotencyCache } from "./idempotency-cache.ts";
import type { Metrics } from "./metrics.ts";
import { type AppOptions, baseOf } from "./options.ts";
import { checked, readBody } from "./request-body.ts";
import {
  etagMatches,
  etagOf,
  ifMatchRevision,
  opIdOf,
  preconditionFailed,
} from "./request-conditions.ts";
import { within } from "./web-clock.ts";

export interface ParsedRequest<O extends Operation> {
  request: Request;
  /** The path below which the app is mounted; empty where it is not. */
  base: string;
  /** Whose token it brought; undefined for the server's own, and where a session asks. */
  client: Client | undefined;
  /** Aborted when nobody waits for the answer any more, also of those who repeated the request. */
  signal: AbortSignal;
  /** The loop that the path names; empty where it names none. */
  id: string;
  /** Another part of the path, decoded. */
  param(name: string): string;
  query: Read<O["query"]>;
  body: Read<O["body"]>;
  /** From the Idempotency-Key, for the service. */
  opId: string | undefined;
  /** See `ifMatchRevision`; `newest` for another loop than the path names, or one that cannot be read. */
  revision(newest?: () => Promise<LoopState>): Promise<number | undefined>;
  /** Gives the loop a command: once per Idempotency-Key, and only to the state that If-Match names. */
  send(command: LoopCommand, id?: string): Promise<LoopState>;
}

type Read<S> = S extends z.ZodType ? z.output<S> : undefined;

/** An answer of its own kind, or fields beside `success: true`: of a tagged operation, one loop. */
type Reply<O> =
  | Response
  | (O extends { tagged: true }
      ? { data: LoopState; message?: string }
      : { data?: unknown; message?: string; [field: string]: unknown });

type Handler<O extends Operation> = (asked: ParsedRequest<O>) => Promise<Reply<O>> | Reply<O>;

export type Handlers<T extends Readonly<Record<string, Operation>>> = {
  [K in keyof T]: Handler<T[K]>;
};

/** Serves operations in the order of their handlers: reads what a contract says, asks, and gives the answer its envelope. */
export function serveOperations(
  app: Hono,
  deps: AppDeps,
  handlers: Readonly<Record<string, (asked: never) => ReturnType<Handler<Operation>>>>,
): void {
  for (const [name, handler] of Object.entries(handlers)) {
    const operation = OPERATIONS.find(({ id }) => id === name) as Operation;
    const act = handler as Handler<Operation>;
    app.on(operation.method.toUpperCase(), operation.path, async (c) => {
      try {
        return await answer(c, deps, operation, act);
      } catch (error) {
        return errorAnswer(c, responseErrorOf(c.req.raw, error), operation.texts);
      }
    });
  }
}

function responseErrorOf({ signal, headers }: Request, error: unknown): unknown {
  if (signal.aborted && error === signal.reason) {
    // Nobody reads it.
    return new HttpError(408, "The client closed the connection before the answer.");
  }
  if (headers.has("if-match") && isLoopError(error, "revision_conflict"))
    return preconditionFailed();
  return error;
}

async function answer(
  c: Context,
  { service, repetitions, options }: AppDeps,
  operation: Operation,
  act: Handler<Operation>,
): Promise<Response> {
  const { method, query, body } = operation;
  const request = c.req.raw;
  const path = c.req.param("id");
  const id = path === undefined ? "" : parseIdParam(path, "Invalid loop ID format");
  const read = method === "get" ? undefined : await readBody(request);
  const opId =
    read && method === "post"
      ? await opIdOf(request, `${operation.id} ${id}`, read.bytes)
      : undefined;
  const revision = (newest = () => service.get(id)) => ifMatchRevision(request, newest);
  const asked = {
    request,
    base: baseOf(c),
    client: c.get("client"),
    id,
    param: (name: string) => c.req.param(name) ?? "",
    query: checked(query ?? NOTHING, c.req.query()),
    body: read && checked(body ?? NOTHING, read.value),
    opId,
    revision,
    send: async (command: LoopCommand, loop = id) => {
      const bound = await revision(() => service.get(loop));
      const allowBash = options.allowBashTasks === true;
      return service.send(loop, command, { opId, revision: bound, allowBash });
    },
  };
  const run = async (signal: AbortSignal) => respond(c, operation, await act({ ...asked, signal }));
  if (opId === undefined) {
    // Node's requests make their signal when it is asked for, and most handlers do not ask.
    const reply = await act({
      ...asked,
      get signal() {
        return request.signal;
      },
    });
    return respond(c, operation, reply);
  }
  const seconds = operation.slow ? patienceOf(request) : undefined;
  if (seconds === undefined) return repetitions.once(opId, run, request.signal);
  const ms = seconds * 1000;
  const got = await repetitions.onceWithin(ms, opId, run, request.signal);
  return got ?? c.json(UNDER_WAY, 202, { "Preference-Applied": `wait=${seconds}` });
}

/** Of an operation that takes no query, or no body. */
const NOTHING = exact({});

const UNDER_WAY = {
  success: true,
  message: "It is under way. Ask again with the same Idempotency-Key and body.",
};

/** For how many seconds a client wants to wait (RFC 7240). */
function patienceOf(request: Request): number | undefined {
  const [, seconds] =
    /(?:^|,)\s*wait=(\d{1,3})\s*(?:$|[,;])/i.exec(request.headers.get("prefer") ?? "") ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

function respond(c: Context, { tagged, creates }: Operation, reply: Reply<Operation>): Response {
  if (reply instanceof Response) return reply;
  if (tagged) {
    const etag = etagOf(reply.data as LoopState);
    c.header("ETag", etag);
    const known = c.req.header("if-none-match");
    if (c.req.method === "GET" && known !== undefined && etagMatches(known, etag))
      return c.body(null, 304);
  }
  if (creates) {
    c.header("Location", `${baseOf(c)}/api/loops/v2/${(reply.data as LoopState).loop_id}`);
    return c.body(answerText(reply), 201, JSON_TYPE);
  }
  return c.body(answerText(reply), 200, JSON_TYPE);
}

const JSON_TYPE = { "Content-Type": "application/json" };

/** `{success: true, …}` as JSON. */
function answerText({ data, ...rest }: Exclude<Reply<Operation>, Response>): string {
  const more = JSON.stringify(rest).slice(1);
  const list = () => (Array.isArray(data) ? `[${data.map(textOf).join()}]` : textOf(data));
  const text = data === undefined ? "" : `,"data":${list()}`;
  return `{"success":true${text}${more === "}" ? "" : ","}${more}`;
}

/** Texts of states: a store gives out the same ones until they change. */
const texts = new WeakMap<object, string>();

function textOf(value: unknown): string {
  if (!isPlain(value) || !Object.isFrozen(value)) return JSON.stringify(value) ?? "null";
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}

interface Followed {
  /** The client reads no more. */
  left?: () => void;
  /** After so many milliseconds without a value an empty line shows that the connection lives. */
  quietMs: number;
}

/**
 * What an iterable yields as NDJSON, as fast as the client reads it. Where it is not followed, its first value is waited
 * for, so that what cannot even begin is an error answer instead of a stream that breaks off.
 */
export async function ndjson(
  values: AsyncIterable<unknown>,
  followed?: Followed,
): Promise<Response> {
  const iterator = values[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<unknown>> | undefined;
  if (!followed) {
    next = iterator.next();
    await next;
  }
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= iterator.next();
      const got = await (followed ? within(followed.quietMs, next) : next);
      if (got === null) return controller.enqueue(encoder.encode("\n"));
      next = undefined;
      if (got.done) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(got.value)}\n`));
    },
    async cancel() {
      followed?.left?.();
      await iterator.return?.();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/x-ndjson; charset=utf-8" } });
}

export interface AppDeps {
  service: LoopService;
  live: Live;
  options: AppOptions;
  metrics: Metrics;
  repetitions: IdempotencyCache;
}

/** An id of a loop or a task, as a path or a body names it. Throws `invalid_id` with `text`, upstream's at that place. */
export function parseIdParam(id: string, text: string): string {
  try {
    return parseLoopId(id);
  } catch (error) {
    throw new LoopError("invalid_id", text, {
      cause: error,
      details: { message: errorText(error) },
    });
  }
}
