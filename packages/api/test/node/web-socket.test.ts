import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { bench } from "../support.ts";
import { BEARER, raw, served, statuses, TOKEN, ticketOf } from "./served.ts";

const JSON_BODY = { "content-type": "application/json" };
const newLoop = (loop_id: string) => ({
  method: "POST",
  headers: JSON_BODY,
  body: JSON.stringify({ title: loop_id, description: "x", id: loop_id }),
});

/** What came, and how it ended. */
function listen(url: string, headers: Record<string, string> = {}) {
  const client = new WebSocket(url.replace("http", "ws"), { headers });
  const frames: { type: string; loop_id: string }[] = [];
  client.on("message", (data) => frames.push(JSON.parse(String(data))));
  const refused = once(client, "unexpected-response").then(([, answer]) => answer.statusCode);
  const closed = once(client, "close").then(([code]) => code as number);
  client.on("error", () => undefined);
  for (const promise of [refused, closed]) promise.catch(() => undefined);
  return { client, frames, refused, closed, opened: once(client, "open") };
}

test("/ws sends upstream's frames to a holder of a ticket, and of the token", async () => {
  const door = await served();
  const first = listen(`${door.url}/ws?ticket=${await ticketOf(door)}`);
  const second = listen(`${door.url}/ws`, BEARER);
  await Promise.all([first.opened, second.opened]);
  expect((await door.ask("/api/loops/v2", newLoop("a"))).status).toBe(201);
  const state = expect.objectContaining({ type: "LOOP_STATE_UPDATE", loop_id: "a" });
  for (const { frames, client } of [first, second]) {
    await vi.waitFor(() => expect(frames).toContainEqual(state), 5000);
    client.close();
  }
});

test("each project has its own", async () => {
  const projects = ["shop", "blog"].map((name) => ({ name, service: bench().service }));
  const door = await served({ projects });
  const blog = listen(`${door.url}/projects/blog/ws`, BEARER);
  await blog.opened;
  await door.ask("/api/loops/v2", newLoop("of-shop"));
  await door.ask("/projects/blog/api/loops/v2", newLoop("of-blog"));
  await vi.waitFor(() => expect(blog.frames.length).toBeGreaterThan(0), 5000);
  expect(new Set(blog.frames.map(({ loop_id }) => loop_id))).toEqual(new Set(["of-blog"]));
  blog.client.close();
});

test("the guard answers the handshake: host, origin, token, ticket once", async () => {
  const door = await served({ origins: ["https://board.example"] });
  const used = await ticketOf(door);
  const good = listen(`${door.url}/ws?ticket=${used}`, { origin: "https://board.example" });
  await good.opened;
  good.client.close();
  const cases: [number, string, Record<string, string>][] = [
    [401, "/ws", {}],
    [401, "/ws", { authorization: "Bearer wrong" }],
    [401, `/ws?token=${TOKEN}`, {}],
    [401, `/ws?ticket=${used}`, {}],
    [403, "/ws", { ...BEARER, host: "evil.example" }],
    [403, "/ws", { ...BEARER, origin: "https://evil.example" }],
    [403, "/ws", { ...BEARER, origin: "null" }],
    [404, "/other", BEARER],
    [404, "/projects/other/ws", BEARER],
  ];
  for (const [status, path, headers] of cases) {
    const { refused } = listen(door.url + path, headers);
    expect(await refused, `${path} ${JSON.stringify(headers)}`).toBe(status);
  }
});

test("a client more than the bound is told so, and its place is free when another leaves", async () => {
  const door = await served({ limits: { webSockets: 2 } });
  const [first, second] = [listen(`${door.url}/ws`, BEARER), listen(`${door.url}/ws`, BEARER)];
  await Promise.all([first.opened, second.opened]);
  expect(await listen(`${door.url}/ws`, BEARER).refused).toBe(429);
  first.client.close();
  await first.closed;
  await vi.waitFor(async () => {
    const next = listen(`${door.url}/ws`, BEARER);
    await Promise.race([next.opened, next.refused.then(() => Promise.reject(new Error("full")))]);
    next.client.close();
  }, 5000);
  second.client.close();
});

test("who talks too long is sent away", async () => {
  const door = await served();
  const long = listen(`${door.url}/ws`, BEARER);
  await long.opened;
  long.client.send("x".repeat(5000));
  expect(await long.closed).toBe(1009);
});

test("a handshake that is none is refused, and other upgrades are answered as if they had not asked", async () => {
  const { port } = await served();
  const upgrade = (name: string, path: string, more = "") =>
    raw(
      port,
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${TOKEN}\r\nconnection: upgrade, close\r\nupgrade: ${name}\r\n${more}\r\n`,
    );
  expect(statuses(await upgrade("websocket", "/ws"))).toEqual([400]);
  expect(statuses(await upgrade("h2c", "/api/loops/v2"))).toEqual([200]);
  const noHost = `GET /ws HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`;
  expect(statuses(await raw(port, noHost))).toEqual([403]);
});
