import { Agent, type IncomingMessage, request } from "node:http";
import type { FuzzRequest } from "./requests.ts";

export interface FuzzResponse {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
  /** It went on after we had heard enough of it. */
  cut: boolean;
}

export interface ServerAddress {
  url: string;
  token: string;
  /** Milliseconds until an answer has to be there. */
  patienceMs: number;
}

/** How long a stream is listened to, in milliseconds. */
const LISTENING = 150;

const STREAMS = /^(?:text\/event-stream|application\/x-ndjson)/;

export class Hang extends Error {}
class Dropped extends Error {}

function isReset(error: Error): boolean {
  return "code" in error && error.code === "ECONNRESET";
}

/** Connections are kept: a server has to read what it refuses, or say that it closes. */
export function sender({ url, token, patienceMs }: ServerAddress): {
  send(asked: FuzzRequest): Promise<FuzzResponse>;
  close(): void;
} {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return {
    close: () => agent.destroy(),
    /** A kept connection may end just while it is used again: HTTP lets such a request be sent once more. */
    send: (asked) =>
      sendOnce(asked).catch((error: unknown) => {
        if (error instanceof Dropped) return sendOnce(asked);
        throw error;
      }),
  };

  function sendOnce({
    method,
    target,
    headers,
    hasToken,
    body,
  }: FuzzRequest): Promise<FuzzResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<FuzzResponse>();
    const { hostname, port } = new URL(url);
    const all = {
      ...headers,
      ...(hasToken ? { Authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { "Content-Length": `${body.length}` }),
    };
    const asking = request({ agent, hostname, port, method, path: target, headers: all });
    const late = setTimeout(() => {
      asking.destroy();
      reject(new Hang(`No whole answer within ${patienceMs} ms.`));
    }, patienceMs);
    asking.on("response", (answer) => {
      const chunks: Buffer[] = [];
      const end = (cut: boolean) => {
        clearTimeout(late);
        clearTimeout(enough);
        const { statusCode: status = 0, headers: received } = answer;
        resolve({ status, headers: received, body: Buffer.concat(chunks), cut });
      };
      const isStream = STREAMS.test(answer.headers["content-type"] ?? "");
      const enough = setTimeout(
        () => {
          end(true);
          asking.destroy();
        },
        isStream ? LISTENING : patienceMs * 2,
      );
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => end(false));
    });
    asking.on("error", (error) => {
      clearTimeout(late);
      reject(asking.reusedSocket && isReset(error) ? new Dropped(error.message) : error);
    });
    // A server that refuses an upgrade answers; one that accepts would be asked in vain here.
    asking.on("upgrade", (_, socket) => socket.destroy());
    asking.end(body);
    return promise;
  }
}

/** The same request for a shell, with the token left out. */
export function curlLine({ url }: Pick<ServerAddress, "url">, asked: FuzzRequest): string {
  const { method, target, headers, hasToken, body } = asked;
  const all = { ...headers, ...(hasToken ? { Authorization: "Bearer $TOKEN" } : {}) };
  const named = Object.entries(all).map(([name, value]) =>
    hasToken && name === "Authorization"
      ? `-H "${name}: ${value}"`
      : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const sent = body === undefined ? [] : ["--data-binary @-"];
  const parts = [
    "curl -sS -i --path-as-is",
    `-X ${method}`,
    ...named,
    ...sent,
    quoted(url + target),
  ];
  const piped =
    body === undefined ? "" : `echo ${Buffer.from(body).toString("base64")} | base64 -d | `;
  return piped + parts.join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
