import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { ModelItem } from "./items.ts";

const InputItem = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z
    .union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))])
    .optional(),
  output: z.unknown().optional(),
});

/** What a client asks the model; the fields that tests look at. */
export const ModelRequestBody = z.looseObject({
  model: z.string().optional(),
  instructions: z.string().optional(),
  input: z.array(InputItem).default([]),
  text: z.looseObject({ format: z.looseObject({}).optional() }).optional(),
});
export type ModelRequestBody = z.infer<typeof ModelRequestBody>;

/** One request, as it was recorded. */
export interface ModelRequest {
  /** How many came before it. */
  index: number;
  headers: IncomingHttpHeaders;
  body: ModelRequestBody;
  /** The texts of the user's messages, oldest first. */
  userTexts: string[];
  /** What the tools answered, oldest first. */
  toolOutputs: string[];
  /** True once the client is gone: it hung up, or the answer is complete. */
  closed: boolean;
}

interface Streamed {
  items?: ModelItem[];
  /** Stream messages in pieces before they are whole; true unless given. */
  deltas?: boolean;
  usage?: { input: number; cached?: number; output: number };
  headers?: Record<string, string>;
  /** Before the answer begins, and between its events. */
  delayMs?: number;
  chunkDelayMs?: number;
  /** Ends with `response.failed`, or with `response.incomplete` for this reason. */
  failed?: { code: string; message: string };
  incomplete?: string;
  /** After so many events: cut the connection, end it as if whole, or fall silent. */
  cutAfter?: number;
  endEarlyAfter?: number;
  stallAfter?: number;
}

/** One answer: a stream, an HTTP error, or nothing at all for ever. */
export type ModelStep =
  | Streamed
  | { status: number; body?: unknown; headers?: Record<string, string>; delayMs?: number }
  | { hang: true; delayMs?: number };

/** One step per request, or a function of the request. */
export type ModelScript =
  | readonly ModelStep[]
  | ((request: ModelRequest) => ModelStep | Promise<ModelStep>);

export type StreamedStep = Streamed;

/** The texts of user messages in a request, without the ones Codex adds itself (they begin with a tag). */
export function userTextsOf(body: ModelRequestBody): string[] {
  return body.input
    .filter((item) => item.role === "user")
    .map((item) => textOf(item.content))
    .filter((text) => !text.startsWith("<"));
}

export function toolOutputsOf(body: ModelRequestBody): string[] {
  return body.input
    .filter((item) => item.type?.endsWith("_output"))
    .map((item) => (typeof item.output === "string" ? item.output : JSON.stringify(item.output)));
}

function textOf(content: ModelRequestBody["input"][number]["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}
