import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { textAt } from "../../../packages/agent-acp/src/json.ts";
import { type Answer, DIALECTS, type Dialect, type ServerEvent } from "./dialects.ts";
import { callFor, hasShell, type Move } from "./tools.ts";

/** One request for an answer, as it was recorded. */
export interface ModelRequest {
  dialect: string;
  /** The conversation as JSON. */
  conversation: string;
  /** The parts of it behind the model's last word, as JSON: a prompt, or what tools answered. */
  last: string;
  /** No turn goes on by it: a title, a summary, a choice of a model. */
  isAside: boolean;
  /** Milliseconds of `performance.now()`; `endedAt` once it was answered or given up. */
  beganAt: number;
  endedAt: number | null;
}

/** What the model does at a request that goes on with a turn. */
export type Script = (request: ModelRequest) => Move;

/** A model that does what its script says, in the four dialects that agents speak. */
export interface ScriptedModel extends AsyncDisposable {
  /** Scheme and host, without a path. */
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Replaces the script, and what an answer costs, for the requests to come. */
  play(script: Script, tokens?: Answer["tokens"]): void;
}

const TOKENS = { input: 120, output: 30 };

/** Starts a model on a free port of 127.0.0.1. It never leaves this machine. */
export async function scriptedModel(): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  let script: Script = () => ({ say: "ok" });
  let tokens = TOKENS;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const body = bodyOf(await text(request));
    const dialect = DIALECTS.find((one) => one.path.test(path));
    if (dialect === undefined) return json(response, 200, otherAnswer(path));
    const tools = dialect.tools(body);
    const asked: ModelRequest = {
      ...{ dialect: dialect.name, ...partsOf(dialect, body), isAside: !hasShell(tools) },
      ...{ beganAt: performance.now(), endedAt: null },
    };
    requests.push(asked);
    response.on("close", () => {
      asked.endedAt = performance.now();
    });
    const move = asked.isAside ? { say: dialect.aside } : script(asked);
    if ("fail" in move) {
      return json(response, move.fail.status, { type: "error", error: move.fail.error });
    }
    const made: Answer = {
      id: `${requests.length}`,
      model: textAt(body, "model") ?? "scripted",
      words: wordsOf(move),
      call: callFor(move, tools),
      tokens,
    };
    if (!dialect.isStreamed(body, path)) return json(response, 200, dialect.whole(made));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const [beginning, end] = dialect.events(made);
    response.write(beginning.map(line).join(""));
    if (!("hang" in move)) response.end(end.map(line).join(""));
  }

  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    answer(request, response).catch((error: Error) => {
      console.error(`The scripted model: ${error.message}`);
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was given to us.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    play(next, costs = TOKENS) {
      script = next;
      tokens = costs;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function bodyOf(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return {};
  }
}

function partsOf(dialect: Dialect, body: unknown) {
  const items = dialect.items(body);
  const own = items.findLastIndex((item) => dialect.isOurs(item));
  return { conversation: JSON.stringify(items), last: JSON.stringify(items.slice(own + 1)) };
}

/** Word by word, as a model speaks. */
function wordsOf(move: Move): string[] {
  const words = "say" in move ? move.say : "hang" in move ? move.hang : "";
  return words.match(/\s*\S+\s*$|\s*\S+/g) ?? [words];
}

/** Agents count tokens and list models as well. */
function otherAnswer(path: string): object {
  if (/count_?tokens$/i.test(path)) return { input_tokens: 100, totalTokens: 100 };
  const model = { id: "scripted", object: "model", owned_by: "scripted" };
  return { object: "list", data: [model], models: [] };
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function line({ name, data }: ServerEvent): string {
  const event = name === undefined ? "" : `event: ${name}\n`;
  return `${event}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
