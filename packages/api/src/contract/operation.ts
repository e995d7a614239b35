import { clip, LoopState } from "@ccw-loop/core";
import { z } from "zod";
import type { UpstreamTexts } from "../app/http-error.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";

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
interface Example {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** One operation of the control plane: what its route checks, what the OpenAPI document says, what a test sends. */
export interface Operation {
  /** Names it in generated clients. */
  id: string;
  method: Method;
  /** With `:name` for a part that is filled in. */
  path: string;
  topic: string;
  summary: string;
  description?: string;
  query?: z.ZodType;
  body?: z.ZodType;
  answer: AnswerShape;
  /** The answer is one loop: it carries an ETag. */
  tagged?: true;
  /** It makes a loop: answered with 201 and where that is. */
  creates?: true;
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

type Named = Pick<Operation, "id" | "topic">;

/** The operations of one topic by their ids, with the types of each one's query, body and answer. */
export function operations<const T extends Record<string, Omit<Operation, keyof Named>>>(
  topic: string,
  made: T,
): { readonly [K in keyof T]: T[K] & Named } {
  const entries = Object.entries(made).map(([id, one]) => [id, { ...one, id, topic }] as const);
  return Object.fromEntries(entries) as { [K in keyof T]: T[K] & Named };
}

/**
 * An object of a request: a name that it does not know is refused with those that it knows, because what was misspelt
 * would otherwise have no effect. `text` is the sentence for what is no such object at all.
 */
export function exact<S extends z.ZodRawShape>(shape: S, text?: string) {
  const known = Object.keys(shape);
  const use = known.length === 0 ? "it takes none" : `use ${known.join(", ")}`;
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return text;
      const where = issue.path?.join(".") || "This request";
      const shown = JSON.stringify(clip(issue.keys[0] ?? "", 60));
      return `${where} cannot have ${shown}: ${use}.`;
    },
  });
}

/** `{success: true, …}`; nothing else is in an answer than what is named here. */
export function success<S extends z.ZodRawShape>(shape: S) {
  return z.object({ success: z.literal(true), ...shape });
}

export function dataAnswer<D extends z.ZodType>(data: D) {
  return { json: success({ data }) };
}

export const Message = z.string().describe("What was done, in a few words.");

export const ErrorAnswer = z
  .object({
    success: z.literal(false),
    error: z.string().describe("One sentence for a person."),
    code: z.string().describe("For a program, for example `loop_not_found`."),
    type: z.string().optional().describe("The same as a URI (RFC 9457)."),
    title: z.string().optional().describe("The kind of problem, in a few words."),
    status: z.int().optional().describe("The status of the answer."),
    detail: z
      .string()
      .optional()
      .describe("This problem, in a sentence, where `error` is kept short as well."),
    hint: z.string().optional().describe("The next step, where `error` does not name it."),
    details: z
      .looseObject({ message: z.string().optional() })
      .optional()
      .describe("Data for programs; `message` is a fuller sentence where `error` is kept short."),
  })
  .meta({ id: "Error" });

export const ONE_LOOP = {
  answer: {
    json: success({ data: LoopState, message: Message.optional() }).meta({ id: "LoopAnswer" }),
  },
  tagged: true,
} as const;

export const DoneAnswer = success({ message: Message }).meta({ id: "DoneAnswer" });

/** A revision, or a place in a log, in a query. */
export const Count = z.coerce.number().int().min(0).optional();

/** The id of a loop that is to be made. The service refuses an unsafe one, by a code of its own. */
export const NewId = z.string().meta({ pattern: "^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$" });
