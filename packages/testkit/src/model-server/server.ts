import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import {
  eventsOf,
  type ModelRequest,
  ModelRequestBody,
  type ModelScript,
  type ModelStep,
  message,
  type StreamedStep,
  toolOutputsOf,
  userTextsOf,
} from "./script.ts";

/** A model that says what its script says, for the real Codex and anything else that speaks Responses. */
export interface ModelServer extends AsyncDisposable {
  /** Give it to `offlineCodexHome`; ends with `/v1`. */
  readonly baseUrl: string;
  /** Every request for an answer so far. */
  readonly requests: readonly ModelRequest[];
  /** Replaces the script for the requests to come. */
  play(script: ModelScript): void;
  close(): Promise<void>;
}

const EXHAUSTED: ModelStep = { items: [message("The model server's script is exhausted.")] };

/** Starts a model server on a free port of 127.0.0.1. It never leaves this machine. */
export async function startModelServer({ script }: { script: ModelScript }): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let next = player(script);

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    if (request.method !== "POST" || !request.url?.endsWith("/responses")) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end('{"error":{"message":"not found"}}');
      return;
    }
    const body = ModelRequestBody.parse(await json(request));
    const recorded: ModelRequest = {
      index: requests.length,
      headers: request.headers,
      body,
      userTexts: userTextsOf(body),
      toolOutputs: toolOutputsOf(body),
      closed: false,
    };
    requests.push(recorded);
    response.on("close", () => {
      recorded.closed = true;
    });
    await play(await next(recorded), response, `resp_${recorded.index}`);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was given to us.");

  const close = async () => {
    server.closeAllConnections();
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    await closed;
  };
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    play(script) {
      next = player(script);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function player(script: ModelScript): (request: ModelRequest) => Promise<ModelStep> {
  if (typeof script === "function") return async (request) => script(request);
  const left = [...script];
  return async () => left.shift() ?? EXHAUSTED;
}

async function play(step: ModelStep, response: ServerResponse, id: string): Promise<void> {
  if (step.delayMs) await delay(step.delayMs);
  if ("hang" in step) return;
  if ("status" in step) {
    const error = { message: `scripted ${step.status}`, type: "scripted", code: null };
    response.writeHead(step.status, { "content-type": "application/json", ...step.headers });
    response.end(JSON.stringify(step.body ?? { error }));
    return;
  }
  await stream(step, response, id);
}

async function stream(step: StreamedStep, response: ServerResponse, id: string): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", ...step.headers });
  for (const [index, event] of eventsOf(step, id).entries()) {
    if (index === step.stallAfter) return;
    if (index === step.endEarlyAfter) break;
    if (index === step.cutAfter) {
      response.destroy();
      return;
    }
    const line = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    await new Promise((written) => response.write(line, written));
    if (response.destroyed) return;
  }
  response.end();
}
