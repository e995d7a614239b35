import { loopClient } from "@ccw-loop/api/client";
import { serve } from "@ccw-loop/api/node";
import { expect, onTestFinished, test, vi } from "vitest";
import { gateway } from "../examples/gateway.ts";
import { teamServer } from "../examples/mounted.ts";
import { TOKEN } from "./node/served.ts";
import { bench } from "./support.ts";

const PASSWORD = "the team's own";
const SIGNED_IN = { Authorization: `Basic ${btoa(`team:${PASSWORD}`)}` };
const JSON_TYPE = { "Content-Type": "application/json" };

/** The team's server of `examples/mounted.ts`. */
function mounted() {
  const { service } = bench();
  const server = teamServer(service, PASSWORD);
  const ask = (path: string, init: RequestInit = {}) =>
    server.request(`http://localhost${path}`, {
      ...init,
      headers: { ...SIGNED_IN, ...JSON_TYPE, ...(init.headers as Record<string, string>) },
    });
  return { service, ask };
}

test("mounted: the team signs in by its own means, creates a loop and watches it", async () => {
  const { service, ask } = mounted();
  expect(await (await ask("/")).text()).toBe("The team's own page");
  expect((await ask("/loops/api/loops/v2", { headers: { Authorization: "" } })).status).toBe(401);
  const body = JSON.stringify({ id: "cart", title: "Mend the cart" });
  expect((await ask("/loops/api/loops/v2", { method: "POST", body })).status).toBe(201);
  const stream = await ask("/loops/api/loops/v2/cart/events?after=0");
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  const told = textOf(stream);
  await vi.waitFor(() => expect(told.text()).toContain("event: loop.created"));
  await service.send("cart", { type: "start" });
  await vi.waitFor(() => expect(told.text()).toContain("event: loop.started"));
  await told.cancel();
});

test.each([
  ["a foreign host", { host: "evil.example" }, 403, "forbidden"],
  ["a foreign page", { origin: "https://evil.example" }, 403, "forbidden"],
  ["a form", { "Content-Type": "text/plain" }, 415, "unsupported_media_type"],
])("mounted: %s is still refused", async (_, headers, status, code) => {
  const { ask } = mounted();
  const answer = await ask("/loops/api/loops/v2", { method: "POST", body: "{}", headers });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ success: false, code });
});

test("mounted: the name that it was given is answered, and what it lacks is JSON", async () => {
  const { ask } = mounted();
  const headers = { host: "tools.example.com" };
  expect((await ask("/loops/api/loops/v2", { headers })).status).toBe(200);
  const gone = await ask("/loops/api/nothing");
  expect(gone.status).toBe(404);
  expect(await gone.json()).toMatchObject({ success: false, code: "not_found" });
});

test("gateway: a loop is created, changed and watched through it, with the gateway's own token", async () => {
  const { service } = bench();
  const behind = await serve({
    projects: [{ name: "shop", service }],
    listen: { port: 0 },
    token: TOKEN,
  });
  onTestFinished(() => behind.close());
  const ownToken = "the-token-of-the-gateway-itself";
  const handle = gateway({ url: behind.url, token: TOKEN, ownToken, hosts: [] });
  const url = "http://localhost";
  const fetch = async (input: string | URL | Request, init?: RequestInit) =>
    handle(new Request(input, init));
  const refused = await fetch(`${url}/api/loops/v2`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  expect(refused.status).toBe(401);

  const loops = loopClient({ url, token: ownToken, fetch });
  await loops.create({ id: "cart", description: "Mend the cart" });
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const told: string[] = [];
  const watching = (async () => {
    for await (const live of loops.watch("cart", { after: 0, signal: over.signal })) {
      if (live.kind === "recorded") told.push(live.recorded.event.type);
    }
  })();
  await vi.waitFor(() => expect(told).toEqual(["loop.created"]));
  await loops.send("cart", { type: "start" });
  await vi.waitFor(() => expect(told).toContain("loop.started"));
  expect((await service.get("cart")).status).toBe("running");
  over.abort();
  await watching;
});

/** What a stream has said so far. */
function textOf(response: Response) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let said = "";
  const reading = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return;
      said += decoder.decode(value, { stream: true });
    }
  })();
  return {
    text: () => said,
    cancel: async () => {
      await reader?.cancel();
      await reading;
    },
  };
}
