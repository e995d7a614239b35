import { once } from "node:events";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { sendingStreams } from "../../src/node/raw-answers.ts";

/** An answer whose client has gone, as Node gives it to a handler. */
async function abandoned(): Promise<ServerResponse> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = once(server, "request");
  const request = get({ port: (server.address() as AddressInfo).port }).on("error", () => {});
  const [, outgoing] = (await asked) as [unknown, ServerResponse];
  request.destroy();
  await once(outgoing, "close");
  server.close();
  return outgoing;
}

test("a stream whose client went before its first word is ended at its source", async () => {
  const { promise: ended, resolve: cancel } = Promise.withResolvers<void>();
  const stream = new ReadableStream({ cancel: () => cancel() });
  const answer = new Response(stream, { headers: { "content-type": "text/event-stream" } });
  const outgoing = await abandoned();
  expect(() => sendingStreams(answer, { outgoing })).not.toThrow();
  await ended;
  expect(outgoing.headersSent).toBe(false);
});
