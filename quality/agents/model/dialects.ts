import { at, listAt, textAt } from "../../../packages/agent-acp/src/json.ts";
import type { Call, Tool } from "./tools.ts";

/** What the model answers: words, or a call of a tool. */
export interface Answer {
  id: string;
  model: string;
  words: readonly string[];
  call: Call | null;
  tokens: { input: number; output: number };
}

/** A server-sent event; its name only where the dialect has one. */
export interface ServerEvent {
  name?: string;
  data: object | string;
}

/** One way to talk to a model. */
export interface Dialect {
  name: string;
  /** Of requests for an answer. */
  path: RegExp;
  tools(body: unknown): Tool[];
  /** The conversation, oldest first. */
  items(body: unknown): readonly unknown[];
  /** Whether this part of the conversation is the model's own. */
  isOurs(item: unknown): boolean;
  /** What a side request gets: a title, a summary, a choice of a model. */
  aside: string;
  isStreamed(body: unknown, path: string): boolean;
  whole(answer: Answer): object;
  /** What comes before the end of an answer, and its end. */
  events(answer: Answer): [beginning: ServerEvent[], end: ServerEvent[]];
}

const argumentsOf = (call: Call) => ("args" in call ? call.args : { input: call.text });
const said = ({ words }: Answer) => words.join("");

/** OpenAI's chat completions: Qwen Code, OpenCode, Copilot. */
const CHAT: Dialect = {
  name: "chat",
  path: /\/chat\/completions$/,
  tools: (body) =>
    listAt(body, "tools").map((tool) => ({
      name: textAt(tool, "function", "name") ?? "",
      schema: at(tool, "function", "parameters"),
    })),
  items: (body) => listAt(body, "messages"),
  isOurs: (item) => textAt(item, "role") === "assistant",
  aside: "ok",
  isStreamed: (body) => at(body, "stream") === true,
  whole(answer) {
    const calls = answer.call && { tool_calls: [chatCall(answer.id, answer.call)] };
    const message = { role: "assistant", content: calls ? null : said(answer), ...calls };
    const choice = { index: 0, message, finish_reason: calls ? "tool_calls" : "stop" };
    return {
      ...chatBase(answer),
      object: "chat.completion",
      choices: [choice],
      ...chatUsage(answer),
    };
  },
  events(answer) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: {
        ...chatBase(answer),
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason }],
      },
    });
    const { call, id, words } = answer;
    const parts = call
      ? [chunk({ tool_calls: [chatCall(id, call)] })]
      : words.map((content) => chunk({ content }));
    const last = { ...chatBase(answer), object: "chat.completion.chunk", choices: [] };
    return [
      [chunk({ role: "assistant", content: "" }), ...parts],
      [
        chunk({}, call ? "tool_calls" : "stop"),
        { data: { ...last, ...chatUsage(answer) } },
        { data: "[DONE]" },
      ],
    ];
  },
};

const chatBase = ({ id, model }: Answer) => ({ id: `chatcmpl-${id}`, created: 1, model });
const chatCall = (id: string, call: Call) => ({
  ...{ index: 0, id, type: "function" },
  function: { name: call.name, arguments: JSON.stringify(argumentsOf(call)) },
});
const chatUsage = ({ tokens: { input, output } }: Answer) => ({
  usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
});

/** Anthropic's messages: Claude. */
const MESSAGES: Dialect = {
  name: "messages",
  path: /\/messages$/,
  tools: (body) =>
    listAt(body, "tools").map((tool) => ({
      name: textAt(tool, "name") ?? "",
      schema: at(tool, "input_schema"),
    })),
  items: (body) => listAt(body, "messages"),
  isOurs: (item) => textAt(item, "role") === "assistant",
  aside: "ok",
  isStreamed: (body) => at(body, "stream") === true,
  whole: (answer) => ({
    ...messageBase(answer),
    content: [messageBlock(answer)],
    stop_reason: answer.call ? "tool_use" : "end_turn",
  }),
  events(answer) {
    const { call, words, tokens } = answer;
    const event = (name: string, data: object) => ({ name, data: { type: name, ...data } });
    const begun = call ? { ...messageBlock(answer), input: {} } : { type: "text", text: "" };
    const deltas = call
      ? [{ type: "input_json_delta", partial_json: JSON.stringify(argumentsOf(call)) }]
      : words.map((text) => ({ type: "text_delta", text }));
    const stopped = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
    return [
      [
        event("message_start", { message: messageBase(answer) }),
        event("content_block_start", { index: 0, content_block: begun }),
        ...deltas.map((delta) => event("content_block_delta", { index: 0, delta })),
      ],
      [
        event("content_block_stop", { index: 0 }),
        event("message_delta", { delta: stopped, usage: { output_tokens: tokens.output } }),
        event("message_stop", {}),
      ],
    ];
  },
};

const messageBase = ({ id, model, tokens }: Answer) => ({
  ...{ id: `msg_${id}`, type: "message", role: "assistant", model, content: [] },
  ...{ stop_reason: null, stop_sequence: null },
  usage: {
    ...{ input_tokens: tokens.input, output_tokens: tokens.output },
    ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  },
});
const messageBlock = (answer: Answer) =>
  answer.call
    ? {
        ...{ type: "tool_use", id: `toolu_${answer.id}` },
        ...{ name: answer.call.name, input: argumentsOf(answer.call) },
      }
    : { type: "text", text: said(answer) };

/** Google's generateContent: Gemini CLI. */
const CONTENTS: Dialect = {
  name: "contents",
  path: /:(?:stream)?generateContent$/i,
  tools: (body) =>
    listAt(body, "tools")
      .flatMap((tool) => listAt(tool, "functionDeclarations"))
      .map((tool) => ({
        name: textAt(tool, "name") ?? "",
        schema: at(tool, "parametersJsonSchema") ?? at(tool, "parameters"),
      })),
  items: (body) => listAt(body, "contents"),
  isOurs: (item) => textAt(item, "role") === "model",
  // It asks which model is fit for a request, and who speaks next.
  aside:
    '{"reasoning":"scripted","model_choice":"flash","next_speaker":"user","complexity_score":1}',
  isStreamed: (_, path) => path.includes("stream"),
  whole: (answer) => {
    const { call, id } = answer;
    return contentPart(answer, call ? functionCall(id, call) : { text: said(answer) }, "STOP");
  },
  events(answer) {
    const { call, id, words } = answer;
    if (call) return [[], [{ data: contentPart(answer, functionCall(id, call), "STOP") }]];
    const parts = words.map((text) => ({ data: contentPart(answer, { text }) }));
    return [parts, [{ data: contentPart(answer, { text: "" }, "STOP") }]];
  },
};

const functionCall = (id: string, call: Call) => ({
  functionCall: { id, name: call.name, args: argumentsOf(call) },
});
const contentPart = (
  { id, tokens: { input, output } }: Answer,
  part: object,
  finishReason?: string,
) => ({
  candidates: [
    { index: 0, content: { role: "model", parts: [part] }, ...(finishReason && { finishReason }) },
  ],
  usageMetadata: {
    ...{ promptTokenCount: input, candidatesTokenCount: output },
    totalTokenCount: input + output,
  },
  ...{ modelVersion: "scripted", responseId: id },
});

/** OpenAI's responses: Codex. */
const RESPONSES: Dialect = {
  name: "responses",
  path: /\/responses$/,
  tools: (body) =>
    listAt(body, "tools")
      .flatMap((tool) => (textAt(tool, "type") === "namespace" ? listAt(tool, "tools") : [tool]))
      .map((tool) => ({
        name: textAt(tool, "name") ?? textAt(tool, "type") ?? "",
        schema: at(tool, "parameters"),
      })),
  items: (body) => listAt(body, "input"),
  isOurs: (item) =>
    textAt(item, "role") === "assistant" || /_call$/.test(textAt(item, "type") ?? ""),
  aside: "ok",
  isStreamed: (body) => at(body, "stream") === true,
  whole: (answer) => response(answer, [responseItem(answer)]),
  events(answer) {
    const item = responseItem(answer);
    const event = (name: string, data: object) => ({ name, data: { type: name, ...data } });
    const place = { item_id: item.id, output_index: 0, content_index: 0 };
    const begun = answer.call ? item : { ...item, content: [{ ...OUTPUT_TEXT, text: "" }] };
    const words = answer.call ? [] : answer.words;
    return [
      [
        event("response.created", { response: { id: `resp_${answer.id}` } }),
        event("response.output_item.added", { output_index: 0, item: begun }),
        ...words.map((delta) => event("response.output_text.delta", { ...place, delta })),
      ],
      [
        event("response.output_item.done", { output_index: 0, item }),
        event("response.completed", { response: response(answer, [item]) }),
      ],
    ];
  },
};

const OUTPUT_TEXT = { type: "output_text", annotations: [] };
function responseItem(answer: Answer) {
  const { call, id } = answer;
  if (call === null) {
    const content = [{ ...OUTPUT_TEXT, text: said(answer) }];
    return { type: "message", id: `msg_${id}`, role: "assistant", content };
  }
  const named = { call_id: id, name: call.name };
  return "text" in call
    ? { type: "custom_tool_call", id: `ctc_${id}`, ...named, input: call.text }
    : { type: "function_call", id: `fc_${id}`, ...named, arguments: JSON.stringify(call.args) };
}
const response = ({ id, model, tokens: { input, output } }: Answer, items: object[]) => ({
  ...{ id: `resp_${id}`, object: "response", created_at: 1, status: "completed", model },
  output: items,
  usage: {
    ...{ input_tokens: input, input_tokens_details: { cached_tokens: 0 } },
    ...{ output_tokens: output, output_tokens_details: { reasoning_tokens: 0 } },
    total_tokens: input + output,
  },
});

export const DIALECTS: readonly Dialect[] = [CHAT, MESSAGES, CONTENTS, RESPONSES];
