import type { z } from "zod";
import type { UpstreamTexts } from "../app/answers.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** What a successful answer carries. */
export type AnswerShape =
  | { json: z.ZodType }
  /** One value of that shape per line. */
  | { ndjson: z.ZodType }
  /** Text of one of these media types. */
  | { text: readonly string[] }
  /** Messages of a stream, each a line of JSON. */
  | { events: z.ZodType }
  /** Messages of a WebSocket, each a text of JSON. */
  | { frames: z.ZodType };

/** A request that is good; its loops are those of the test harness. */
export interface Example {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** One operation of the control plane: what its route checks, what the OpenAPI document says, what a test sends. */
export interface Operation<Q extends z.ZodType = z.ZodType, B extends z.ZodType = z.ZodType> {
  /** Names it in generated clients. */
  id: string;
  method: Method;
  /** With `:name` for a part that is filled in. */
  path: string;
  topic: string;
  summary: string;
  description?: string;
  query?: Q;
  body?: B;
  answer: AnswerShape;
  /** The answer is one loop: it carries an ETag. */
  tagged?: true;
  /** Upstream's texts at this place. */
  texts?: UpstreamTexts;
  /** Statuses from 500 on with which it may answer because of what it depends on, such as the agent. */
  failures?: readonly (502 | 503 | 504)[];
  /** Needs no token. */
  open?: true;
  /** May take minutes: `Prefer: wait` bounds how long an answer is kept back. */
  slow?: true;
  /** Takes no Idempotency-Key. */
  keyless?: true;
  /** Answered by `serve`, not by an app that somebody else mounts. */
  served?: true;
  example: Example;
}

/** The operation itself, with the types of its query, body and answer. */
export function operation<
  A extends AnswerShape,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(made: Operation<Q, B> & { answer: A }): Operation<Q, B> & { answer: A } {
  return made;
}
