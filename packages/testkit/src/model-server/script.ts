import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";

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

export interface StreamedStep {
  items?: ModelItem[];
  usage?: { input: number; cached?: number; output: number };
  headers?: Record<string, string>;
  /** Before the answer begins. */
  delayMs?: number;
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
  | StreamedStep
  | { status: number; body?: unknown; headers?: Record<string, string>; delayMs?: number }
  | { hang: true; delayMs?: number };

/** One step per request, or a function of the request. */
export type ModelScript =
  | readonly ModelStep[]
  | ((request: ModelRequest) => ModelStep | Promise<ModelStep>);

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

/** One output item of a model's answer, as the Responses API spells it. */
export interface ModelItem {
  type: string;
  id: string;
  [field: string]: unknown;
}

let counter = 0;

function newId(prefix: string): string {
  counter += 1;
  return `${prefix}_${String(counter).padStart(6, "0")}`;
}

/** Text of the model; `commentary` is said on the way, `final_answer` ends the turn. */
export function message(text: string, phase?: "commentary" | "final_answer"): ModelItem {
  const content = [{ type: "output_text", text, annotations: [] }];
  return {
    type: "message",
    role: "assistant",
    id: newId("msg"),
    ...(phase ? { phase } : {}),
    content,
  };
}

/** A call of a function tool with JSON arguments. */
export function functionCall(name: string, args: Record<string, unknown>): ModelItem {
  const call = { id: newId("fc"), call_id: newId("call") };
  return { type: "function_call", name, arguments: JSON.stringify(args), ...call };
}

/** Codex's shell tool. `more`: `workdir`, `yield_time_ms`, `sandbox_permissions`, `justification`, … */
export function runCommand(cmd: string, more: Record<string, unknown> = {}): ModelItem {
  return functionCall("exec_command", { cmd, yield_time_ms: 30_000, ...more });
}

/** Codex's edit tool; `hunks` is what stands between the patch's begin and end lines. */
export function applyPatch(hunks: string): ModelItem {
  const input = `*** Begin Patch\n${hunks.trimEnd()}\n*** End Patch\n`;
  const call = { id: newId("ctc"), call_id: newId("call") };
  return { type: "custom_tool_call", name: "apply_patch", input, ...call };
}

/** What the service answers to one whose quota is used up until then; whole seconds. */
export function quotaUsedUp(resetsAt: Date): ModelStep {
  return {
    status: 429,
    headers: {
      "x-codex-primary-used-percent": "100",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": `${Math.floor(resetsAt.getTime() / 1000)}`,
    },
    body: { error: { type: "usage_limit_reached", message: "limit reached" } },
  };
}

/** One server-sent event of an answer. */
export interface ModelEvent {
  type: string;
  [field: string]: unknown;
}

const PIECES = 4;

/** The events of one streamed answer, in order. */
export function eventsOf(step: StreamedStep, responseId: string): ModelEvent[] {
  const response = { id: responseId };
  const items = (step.items ?? []).flatMap(itemEvents);
  return [{ type: "response.created", response }, ...items, lastEvent(step, responseId)];
}

function itemEvents(item: ModelItem, output_index: number): ModelEvent[] {
  const text = itemText(item);
  const begun =
    text === null
      ? item
      : { ...item, content: [{ type: "output_text", text: "", annotations: [] }] };
  return [
    { type: "response.output_item.added", output_index, item: begun },
    ...pieces(text ?? "").map((delta) => ({
      type: "response.output_text.delta",
      item_id: item.id,
      output_index,
      content_index: 0,
      delta,
    })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function lastEvent({ failed, incomplete, usage }: StreamedStep, id: string): ModelEvent {
  if (failed) return { type: "response.failed", response: { id, error: failed } };
  if (incomplete) {
    return {
      type: "response.incomplete",
      response: { id, incomplete_details: { reason: incomplete } },
    };
  }
  const { input, cached = 0, output } = usage ?? { input: 100, cached: 40, output: 20 };
  return {
    type: "response.completed",
    response: {
      id,
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      },
    },
  };
}

function itemText(item: ModelItem): string | null {
  if (item.type !== "message" || !Array.isArray(item.content)) return null;
  return item.content.map((part: { text?: string }) => part.text ?? "").join("");
}

function pieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / PIECES));
  const starts = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => i * size);
  return starts.map((start) => text.slice(start, start + size));
}
