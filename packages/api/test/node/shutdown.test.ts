import { once } from "node:events";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { BEARER, HANDSHAKE, raw, served, statuses, wire } from "./served.ts";

const headers = { "content-type": "application/json" };
const body = JSON.stringify({ title: "a", description: "x", id: "a" });

test("streams and sockets end, the request under way is answered, new ones are not taken", async () => {
  const { server, port, url, ask } = await served({ limits: { shutdownMs: 5000 } });
  const stream = await ask("/api/events");
  const client = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers: BEARER });
  await once(client, "open");
  const left = once(client, "close");
  const head = wire("POST /api/loops/v2", { ...headers, "content-length": `${body.length}` });
  const slow = connect(port, "127.0.0.1");
  let answer = "";
  slow.on("data", (data) => (answer += data));
  slow.write(head + body.slice(0, 5));
  await vi.waitFor(async () => expect((await ask("/api/health")).status).toBe(200));

  const closed = server.close();
  expect(server.close()).toStrictEqual(expect.any(Promise));
  await expect(ask("/api/health")).rejects.toThrow();
  await stream.text();
  expect((await left)[0]).toBe(1001);
  slow.write(body.slice(5));
  await once(slow, "close");
  expect(statuses(answer)).toEqual([201]);
  expect(answer).toMatch(/^connection: close\r$/im);
  await closed;
});

test("who does not end within the grace is cut", async () => {
  const { server, port } = await served({ limits: { shutdownMs: 100, requestMs: 60_000 } });
  const never = raw(port, wire("POST /api/loops/v2", { ...headers, "content-length": "10" }));
  const client = connect(port, "127.0.0.1");
  client.write(wire("GET /ws", HANDSHAKE));
  await once(client, "data");
  client.on("error", () => undefined);
  const from = performance.now();
  await server.close();
  expect(performance.now() - from).toBeGreaterThan(90);
  expect(statuses(await never)).toEqual([]);
  client.destroy();
});

test("the signal closes, also when it came before", async () => {
  const end = new AbortController();
  const { server } = await served({ signal: end.signal });
  end.abort();
  await server.closed;
  const late = await served({ signal: end.signal });
  await late.server.closed;
});
