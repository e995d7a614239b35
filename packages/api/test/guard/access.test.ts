import { Hono } from "hono";
import { afterEach, expect, test, vi } from "vitest";
import { guard } from "../../src/guard/guard.ts";
import { guarded, TOKEN } from "./guarded.ts";

afterEach(() => void vi.useRealTimers());

test.each([
  ["none", ""],
  ["an empty one", "Bearer "],
  ["a wrong one", "Bearer wrong"],
  ["the beginning of it", `Bearer ${TOKEN.slice(0, -1)}`],
  ["the end of it", `Bearer ${TOKEN.slice(1)}`],
  ["more than it", `Bearer ${TOKEN}x`],
  ["one other character in it", `Bearer ${TOKEN.replace(/.$/, "~")}`],
  ["what repeats it", `Bearer ${TOKEN}${TOKEN}`],
  ["another case", `Bearer ${TOKEN.toUpperCase()}`],
  ["a very long one", `Bearer ${"x".repeat(5000)}`],
  ["another scheme", `Basic ${btoa(`:${TOKEN}`)}`],
  ["no scheme", TOKEN],
  ["two of them", `Bearer ${TOKEN}, Bearer ${TOKEN}`],
])("%s instead of the token: the same 401, and nothing of the loop", async (_, authorization) => {
  const { ask, handled } = guarded();
  const answer = await ask("/api/loops/v2/some-loop", { headers: { authorization } });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  const text = await answer.text();
  expect(text).toBe(await (await ask("/api/other", { headers: { authorization: "" } })).text());
  expect(JSON.parse(text)).toMatchObject({ success: false, code: "unauthorized" });
  expect(handled()).toBe(0);
});

test.each([`/api/loops/v2?token=${TOKEN}`, `/api/events?access_token=${TOKEN}`])(
  "a token in the query is refused, even beside the right header: %s",
  async (path) => {
    const { ask } = guarded();
    expect((await ask(path)).status).toBe(401);
    expect((await ask(path, { headers: { authorization: "" } })).status).toBe(401);
  },
);

test("the scheme's case does not matter", async () => {
  const headers = { authorization: `bEARER ${TOKEN}` };
  expect((await guarded().ask("/api/loops/v2", { headers })).status).toBe(200);
});

test.each([{ token: "" }, { token: undefined }, {}, "guard"])(
  "who may ask has to be said: %j opens nothing",
  (access) => {
    expect(() => guarded({ access: access as never })).toThrow("Say who may ask");
  },
);

test("public are only the doors that say nothing about a loop, and only for reading", async () => {
  const { ask } = guarded();
  const headers = { authorization: "" };
  for (const path of ["/", "/api/health", "/api/ready", "/api/openapi.json", "/api/docs"]) {
    expect((await ask(path, { headers })).status, path).toBe(200);
    expect((await ask(path, { headers, method: "POST" })).status, path).toBe(401);
  }
  for (const path of [
    ...["/api/health/", "/api/health/x", "/api//health", "//api/health", "/x/api/health"],
    ...[
      "/api/ready/",
      "/metrics",
      "/api/projects",
      "/api/loops/v2/..%2f..%2fhealth",
      "/API/HEALTH",
    ],
  ]) {
    expect((await ask(path, { headers })).status, path).toBe(401);
  }
});

test("below a path of a host application the doors are where they are in the app", async () => {
  const app = new Hono();
  app.use(guard({ access: { token: TOKEN } }));
  app.all("*", (c) => c.text("reached"));
  const host = new Hono().route("/loops", app);
  expect((await host.request("/loops/api/health")).status).toBe(200);
  expect((await host.request("/loops")).status).toBe(200);
  expect((await host.request("/loops/loops/api/health")).status).toBe(401);
});

const ticketOf = async (answer: Response) => {
  const { data } = (await answer.json()) as { data: { ticket: string; expires_at: string } };
  return data;
};

test("a ticket opens one event stream, once, within half a minute", async () => {
  vi.useFakeTimers();
  const { ask } = guarded();
  const anonymous = { headers: { authorization: "" } };
  const post = { method: "POST" };
  const { ticket, expires_at } = await ticketOf(await ask("/api/tickets", post));
  expect(Date.parse(expires_at) - Date.now()).toBe(30_000);
  // Not where it does not belong; that does not use it up.
  for (const path of ["/api/loops/v2", "/api/tickets", "/api/loops/v2/a/b/events", "/metrics"]) {
    expect((await ask(`${path}?ticket=${ticket}`, anonymous)).status, path).toBe(401);
  }
  expect((await ask(`/api/events?ticket=${ticket}`, { ...anonymous, ...post })).status).toBe(401);
  expect((await ask(`/api/events?ticket=${ticket}`, anonymous)).status).toBe(200);
  expect((await ask(`/api/events?ticket=${ticket}`, anonymous)).status).toBe(401);

  const late = await ticketOf(await ask("/api/tickets", post));
  const good = await ticketOf(await ask("/api/tickets", post));
  vi.advanceTimersByTime(29_999);
  const stream = "/api/loops/v2/a/events?ticket=";
  expect((await ask(stream + good.ticket, anonymous)).status).toBe(200);
  vi.advanceTimersByTime(1);
  expect((await ask(stream + late.ticket, anonymous)).status).toBe(401);
  expect((await ask(stream, anonymous)).status).toBe(401);
});

test("tickets are for holders of the token, by POST", async () => {
  const { ask, handled } = guarded();
  expect((await ask("/api/tickets")).status).toBe(405);
  const anonymous = { method: "POST", headers: { authorization: "" } };
  expect((await ask("/api/tickets", anonymous)).status).toBe(401);
  expect(handled()).toBe(0);
});

test("a ticket of one server opens a stream of another with the same token, and of no other", async () => {
  const [one, two, stranger] = [
    guarded(),
    guarded(),
    guarded({ access: { token: "another-".repeat(8) } }),
  ];
  const { ticket } = await ticketOf(await one.ask("/api/tickets", { method: "POST" }));
  const anonymous = { headers: { authorization: "" } };
  const path = `/api/events?ticket=${ticket}`;
  expect((await stranger.ask(path, anonymous)).status).toBe(401);
  expect((await two.ask(path, anonymous)).status).toBe(200);
  expect((await two.ask(path, anonymous)).status).toBe(401);
  // Every part of it is sealed.
  for (let at = 0; at < ticket.length; at += 5) {
    const digit = ticket[at] === "0" ? "1" : "0";
    const forged = `${ticket.slice(0, at)}${digit}${ticket.slice(at + 1)}`;
    expect((await one.ask(`/api/events?ticket=${forged}`, anonymous)).status).toBe(401);
  }
  expect((await one.ask(path, anonymous)).status).toBe(200);
});
