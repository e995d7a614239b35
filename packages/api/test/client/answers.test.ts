import { type AddressInfo, createServer } from "node:net";
import { LoopError, type LoopService } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import { type LoopClientOptions, loopClient } from "../../src/client/index.ts";

const URL = "http://127.0.0.1:9";

/** A client whose server answers with this. */
function answered(
  answer: () => Response | Promise<Response>,
  options: Partial<LoopClientOptions> = {},
) {
  const asked: Request[] = [];
  const fetch = async (request: Request) => {
    asked.push(request);
    return answer();
  };
  return { client: loopClient({ url: URL, fetch, ...options }), asked };
}

/** Where nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const json =
  (body: unknown, status = 200) =>
  () =>
    Response.json(body, { status });
const page =
  (status: number, type = "text/html") =>
  () =>
    new Response("<h1>Hello</h1>", { status, headers: { "content-type": type } });

describe("what is no answer of a control plane is store_unavailable, and names the address", () => {
  const STRANGE: [string, () => Response, RegExp][] = [
    ["a proxy's page", page(502), /answered 502 with text\/html, which is no answer of CCW Loop/],
    ["a page that says all is well", page(200), /answered 200 with text\/html/],
    ["a redirection", page(302), /answered 302/],
    ["no type", () => new Response(new Uint8Array()), /something of no known type/],
    ["other JSON", json({ hello: "world" }), /does not understand/],
    ["broken JSON", page(200, "application/json"), /does not understand/],
    ["an error of somebody else", json({ error: { message: "no" } }, 500), /answered 500/],
  ];
  test.each(STRANGE)("%s", async (_name, answer, message) => {
    const { client } = answered(answer);
    await expect(client.get("a")).rejects.toMatchObject({
      name: "LoopError",
      code: "store_unavailable",
      message: expect.stringMatching(message),
    });
    await expect(client.get("a")).rejects.toThrow(URL);
  });

  test("streams, too", async () => {
    const { client } = answered(page(200));
    const first = async (items: AsyncIterable<unknown>) => {
      for await (const item of items) return item;
      return undefined;
    };
    const { signal } = new AbortController();
    for (const items of [
      client.events("a"),
      client.activity("a"),
      client.watch("a", { after: 0, signal }),
      client.changes(signal),
    ]) {
      await expect(first(items)).rejects.toMatchObject({ code: "store_unavailable" });
    }
  });

  test("nobody there", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await expect(loopClient({ url }).list()).rejects.toMatchObject({
      code: "store_unavailable",
      message: `${url} cannot be reached: ECONNREFUSED. Check the address, and that it runs there: ccw-loop serve`,
    });
  });

  test("somebody whose certificate is not trusted", async () => {
    const url = "https://loops.example";
    const fetch = async () => {
      throw new TypeError("fetch failed", { cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } });
    };
    await expect(loopClient({ url, fetch }).list()).rejects.toMatchObject({
      message: expect.stringMatching(/DEPTH_ZERO_SELF_SIGNED_CERT\. .*NODE_EXTRA_CA_CERTS/),
    });
  });
});

test("an error keeps its code, its fuller sentence and its details", async () => {
  const details = { message: "Loop a is at 3.", revision: 3 };
  const { client } = answered(
    json({ success: false, error: "No.", code: "revision_conflict", details }, 409),
  );
  await expect(client.get("a")).rejects.toMatchObject({
    name: "LoopError",
    code: "revision_conflict",
    message: "Loop a is at 3.",
    details: { revision: 3 },
  });
});

test("a code that only HTTP has keeps its sentence", async () => {
  const refused = {
    success: false,
    error: "Too many requests. Try again in 2 s.",
    code: "too_many_requests",
  };
  const { client } = answered(json(refused, 429));
  await expect(client.get("a")).rejects.toMatchObject({
    code: "store_unavailable",
    message: `${URL}: Too many requests. Try again in 2 s.`,
    details: { status: 429, code: "too_many_requests" },
  });
});

test("a token that is missing or wrong says how to give it", async () => {
  const { client, asked } = answered(
    json({ success: false, error: "No token.", code: "unauthorized" }, 401),
  );
  await expect(client.get("a")).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(/--token-file FILE or in CCW_LOOP_TOKEN/),
  });
  expect(asked).toHaveLength(1);
});

describe("addresses", () => {
  const path = async (url: string) => {
    const { client, asked } = answered(page(200), { url });
    await client.get("a").catch(() => undefined);
    return asked[0]?.url;
  };

  test("may have a path, with or without a slash at its end", async () => {
    expect(await path("http://127.0.0.1:1")).toBe("http://127.0.0.1:1/api/loops/v2/a");
    expect(await path("http://[::1]:1/projects/shop/")).toBe(
      "http://[::1]:1/projects/shop/api/loops/v2/a",
    );
  });

  test.each([
    ["nonsense", /"nonsense" is no URL/],
    ["ftp://a.example", /does not begin with http/],
    ["localhost:3456", /^"localhost:3456" does not begin with http/],
    ["http://me:secret@a.example", /^http:\/\/a\.example\/ has a name or password in it/],
    ["http://127.0.0.1/?token=x", /has a query/],
  ])("%s is refused", (url, message) => {
    expect(() => loopClient({ url })).toThrow(message);
  });

  test("a token that no header can carry is refused, and not repeated", () => {
    const attempt = () => loopClient({ url: "http://127.0.0.1:1", token: "half\nother-half" });
    expect(attempt).toThrow(/one line of visible/);
    expect(attempt).not.toThrow(/half/);
  });

  test("the token is sent to this machine, or over TLS, unless somebody insists", async () => {
    const token = "s3cret";
    const attempt =
      (url: string, more: Partial<LoopClientOptions> = {}) =>
      async () => {
        const { client, asked } = answered(page(200), { url, token, ...more });
        await client.get("a").catch(() => undefined);
        return asked[0]?.headers.get("authorization");
      };
    for (const url of ["http://127.0.0.1:1", "http://localhost:1", "https://a.example"]) {
      expect(await attempt(url)()).toBe("Bearer s3cret");
    }
    await expect(attempt("http://a.example")).rejects.toThrow(/everybody on the way/);
    await expect(attempt("http://127.0.0.1.a.example")).rejects.toThrow(LoopError);
    expect(await attempt("http://a.example", { insecureHttp: true })()).toBe("Bearer s3cret");
  });
});

describe("repetition", () => {
  const broken = () => Promise.reject(new TypeError("fetch failed"));
  const CALLS: [string, (client: LoopService) => Promise<unknown>, number][] = [
    ["get", (client) => client.get("a"), 2],
    ["send", (client) => client.send("a", { type: "start" }), 2],
    ["delete", (client) => client.delete("a"), 1],
  ];
  test.each(CALLS)("%s", async (_name, call, times) => {
    const { client, asked } = answered(broken);
    await expect(call(client)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(asked).toHaveLength(times);
    const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(1);
  });

  test("each call has a key of its own, unless it names one", async () => {
    const { client, asked } = answered(json({}));
    const send = (opId?: string) =>
      client.send("a", { type: "start" }, { opId }).catch(() => undefined);
    await send();
    await send();
    await send("mine");
    await send("with a line\nend");
    const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(4);
    expect(keys[2]).toBe("mine");
    expect(keys[3]).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("a run where nobody drives says so before it starts anything", async () => {
  const at = new Date().toISOString();
  const data = { loop_id: "a", title: "a", status: "created", created_at: at, updated_at: at };
  const fetch = async (request: Request) =>
    request.url.endsWith("/api/ready")
      ? Response.json({ success: true, data: { drives: false } })
      : Response.json({ success: true, data });
  const methods: string[] = [];
  const client = loopClient({
    url: URL,
    fetch: (request) => {
      methods.push(request.method);
      return fetch(request);
    },
  });
  await expect(client.run("a")).rejects.toMatchObject({
    code: "agent_unavailable",
    message: expect.stringContaining(`Nobody drives loops at ${URL}`),
    details: { drives: false },
  });
  expect(methods).toEqual(["GET", "GET"]);
});

test("empty lines of a log only show that its connection lives", async () => {
  const event = { type: "message.completed", text: "hello" };
  const line = JSON.stringify({ at: "2026-01-22T10:00:00.000Z", action: "DEVELOP", event });
  const headers = { "content-type": "application/x-ndjson" };
  const { client } = answered(() => new Response(`\n${line}\n\n`, { headers }));
  const logged = await Array.fromAsync(client.activity("a"), (activity) => activity.event);
  expect(logged).toEqual([event]);
});
