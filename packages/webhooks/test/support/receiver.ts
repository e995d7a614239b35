import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Status with headers, `hang` for a receiver that never answers, or `drop` for one that closes the connection. */
type Reply = number | { status: number; headers: Record<string, string> } | "hang" | "drop";

export interface Receiver {
  url: string;
  got: Received[];
  /** Answers the next requests so, then 204 to all others. */
  replies: Reply[];
}

/** A server that keeps what is posted to it. Gone after the test. */
export async function receiver(...replies: Reply[]): Promise<Receiver> {
  const got: Received[] = [];
  const here: Receiver = { url: "", got, replies };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    got.push({ path: request.url ?? "", headers: request.headers, body });
    const reply = here.replies.shift() ?? 204;
    if (reply === "hang") return;
    if (reply === "drop") return void request.socket.destroy();
    const { status, headers } = typeof reply === "number" ? { status: reply, headers: {} } : reply;
    response.writeHead(status, headers).end("an answer that nobody reads");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  here.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return here;
}

/** An address at which nobody listens. */
export async function nobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/hook`;
}
