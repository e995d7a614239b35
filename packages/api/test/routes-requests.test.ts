import { fsStore } from "@ccw-loop/store-fs";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../src/index.ts";
import { askOf, bench, TOKEN } from "./support.ts";

const V2 = "/api/loops/v2";
const BOUNDS =
  "max_duration_ms, max_turns, max_tokens, max_cost_usd, max_stalled, max_consecutive_failures, turn_timeout_ms, test_timeout_ms, task_timeout_ms";

describe("a body", () => {
  const deep = (depth: number) =>
    `{"title":"t","settings":{"extra":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}}`;

  test.each<[string, string, number, string | RegExp]>([
    ["no JSON", "{bad", 400, /^The body is not valid JSON: /],
    ["half of it", '{"title":"t"', 400, /not valid JSON/],
    ["64 levels", deep(63), 400, /^settings cannot have "extra"/],
    ["65 levels", deep(64), 400, "The body is nested deeper than 64 levels."],
    ["65 levels behind flat ones", `[${"[],".repeat(100)}${deep(64)}]`, 400, /nested deeper/],
    ["100,000 levels", deep(100_000), 400, "The body is nested deeper than 64 levels."],
    ["brackets in text", `{"title":${JSON.stringify("[".repeat(99))}}`, 201, ""],
    ["quotes in text", `{"title":${JSON.stringify('"[\\"'.repeat(99))}}`, 201, ""],
    ["10,000 values", `{"title":"t","tags":[${'"x",'.repeat(9_996)}"x"]}`, 201, ""],
    [
      "10,001 values",
      `{"title":"t","tags":[${'"x",'.repeat(9_997)}"x"]}`,
      400,
      "The body has more than 10000 values.",
    ],
    [
      "half a million empty ones",
      `{"title":"t","tags":[${"[],".repeat(300_000)}1]}`,
      400,
      /values/,
    ],
    ["commas in text", `{"title":${JSON.stringify(',\\",[{'.repeat(20_000))}}`, 201, ""],
    ["text without an end", `{"title":"${"[,".repeat(20_000)}`, 400, /not valid JSON/],
    ["a number beyond all", '{"title":"t","max_iterations":1e999}', 400, /max_iterations/],
    ["a number beyond its bound", '{"title":"t","max_iterations":1e308}', 400, /at most 1000000$/],
    ["too much", `{"title":"${"x".repeat(1024 * 1024)}"}`, 413, /^The body is larger than 1048576/],
    ["text", '"title"', 400, "title is required and must be non-empty"],
  ])("of %s", async (_, body, status, error) => {
    const answer = await bench().ask("POST", V2, { body });
    expect(answer.status).toBe(status);
    if (status === 201) return;
    const sentence = typeof error === "string" ? error : expect.stringMatching(error);
    expect(answer.json).toMatchObject({ success: false, error: sentence });
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "text/json",
    "text/plain; application/json",
    "",
  ])("of the type %j is refused", async (type) => {
    const headers = { "Content-Type": type };
    for (const [method, path] of [
      ["POST", V2],
      ["PUT", `${V2}/a`],
      ["DELETE", `${V2}/a`],
    ] as const) {
      const { status, json } = await bench().ask(method, path, { body: '{"title":"t"}', headers });
      expect(status, method).toBe(415);
      expect(json).toMatchObject({ success: false, code: "unsupported_media_type" });
    }
  });

  test("of JSON is taken in its spellings", async () => {
    const headers = { "Content-Type": "Application/JSON;charset=utf-8" };
    const { status } = await bench().ask("POST", V2, { body: '{"title":"t"}', headers });
    expect(status).toBe(201);
  });

  test("that is no UTF-8 is refused", async () => {
    const response = await bench().app.request(`http://localhost${V2}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "The body is not valid UTF-8." });
  });

  test("keeps its text exactly, in whatever pieces it comes", async () => {
    const title = "Zażółć 🛒 \u202e $(x) \ud83d";
    const bytes = new TextEncoder().encode(JSON.stringify({ title }));
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const response = await bench().app.request(`http://localhost${V2}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
      body: pieces,
      duplex: "half",
    } as RequestInit);
    expect(await response.json()).toMatchObject({ data: { title } });
  });

  test("changes no prototype", async () => {
    const { ask } = bench();
    const evil = '{"polluted":1}';
    const more = `"__proto__":${evil},"constructor":{"prototype":${evil}}`;
    const setting = `"settings":{"__proto__":${evil}}`;
    for (const part of [more, setting]) {
      expect((await ask("POST", V2, { body: `{"title":"t",${part}}` })).status).toBe(400);
    }
    const { json } = await ask("POST", V2, { body: { title: "t" } });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const task = `{"type":"add_task","task":{"id":"t","description":"d","__proto__":${evil}}}`;
    const added = await ask("POST", `${V2}/${json.data.loop_id}/commands`, { body: task });
    expect(added.json.data.tasks[0].polluted).toBeUndefined();
  });

  test("names the wrong field of what upstream did not know", async () => {
    const { ask } = bench();
    const body = { title: "t", limits: { max_turns: "many" } };
    expect((await ask("POST", V2, { body })).json).toMatchObject({
      success: false,
      error: "limits.max_turns must be a whole number from 1 to 1000000",
      code: "invalid_input",
      details: { fields: ["limits.max_turns"] },
    });
  });

  type BodyOf = (part: object) => object;
  const MAKES: [string, string, BodyOf][] = [
    ["POST", "", (part) => ({ title: "t", ...part })],
    ["PUT", "/a", (part) => part],
    ["POST", "/a/resume", (part) => ({ changes: part })],
    ["POST", "/a/commands", (part) => ({ type: "edit", changes: part })],
    ["POST", "/a/commands", (part) => ({ type: "resume", changes: part })],
  ];

  /** What a request about a paused loop `a` is answered, refused first, and then with another part of its body. */
  async function corrected(
    [method, path, bodyOf]: (typeof MAKES)[number],
    wrong: object,
    right: object,
  ) {
    const agentProblem = (name: string) => (name === "codex" ? undefined : "use codex");
    const { ask, service } = bench({ agentProblem });
    await ask("POST", V2, { body: { id: "a", title: "t" } });
    await ask("POST", `${V2}/a/start`);
    await ask("POST", `${V2}/a/pause`);
    const { status, json } = await ask(method, V2 + path, { body: bodyOf(wrong) });
    expect([status, json.success, json.code]).toEqual([400, false, "invalid_input"]);
    expect((await service.list()).total).toBe(1);
    const { limits, settings } = await service.get("a");
    expect([limits, settings]).toEqual([undefined, undefined]);
    const taken = await ask(method, V2 + path, { body: bodyOf(right) });
    expect(taken.status).toBe(path === "" ? 201 : 200);
    return {
      error: json.error,
      fields: json.details.fields,
      at: "changes" in bodyOf({}) ? "changes." : "",
    };
  }

  test.each(MAKES)("cannot misspell a bound: %s %s", async (...asks) => {
    const limits = { max_turns: 5 };
    const wrong = { limits: { ...limits, max_turn: 5 } };
    const { error, fields, at } = await corrected(asks, wrong, { limits });
    expect(error).toBe(`${at}limits cannot have "max_turn": use ${BOUNDS}.`);
    expect(fields).toEqual([`${at}limits.max_turn`]);
  });

  test.each(MAKES)("takes a bound for no setting: %s %s", async (...asks) => {
    const right = { settings: { agent: "codex" } };
    const { error, at } = await corrected(asks, { settings: { max_turns: 5 } }, right);
    expect(error).toMatch(new RegExp(`^${at}settings cannot have "max_turns": use mode, verify, `));
  });

  test.each(MAKES)("cannot name an agent that is not there: %s %s", async (...asks) => {
    const right = { settings: { agent: "codex" } };
    const { error, fields } = await corrected(asks, { settings: { agent: "foo" } }, right);
    expect(error).toBe('settings.agent cannot be "foo": use codex.');
    expect(fields).toEqual(["settings.agent"]);
  });

  test("names a few of many wrong fields, and the beginning of a long one", async () => {
    const { ask } = bench();
    const tags = Array(5000).fill(1);
    const many = await ask("POST", V2, { body: { title: "t", tags } });
    expect(many.json.details.fields).toHaveLength(20);
    const long = await ask("POST", V2, { body: { title: "t", ["x".repeat(100_000)]: 1 } });
    expect([long.status, long.text.length < 1000]).toEqual([400, true]);
  });

  test("has no wrong field when it is wrong as a whole", async () => {
    const { ask } = bench();
    await ask("POST", V2, { body: { id: "a", title: "t" } });
    for (const path of ["", "/a/steer", "/a/fork", "/a/commands", "/a/input"]) {
      const { status, json } = await ask("POST", V2 + path, { body: [1] });
      expect([status, json.code], path).toEqual([400, "invalid_input"]);
      expect(json.details?.fields, path).not.toEqual([""]);
    }
  });

  test.each(["gzip", "br, identity"])("that is compressed as %s is refused", async (encoding) => {
    const headers = { "Content-Encoding": encoding };
    const { status, json } = await bench().ask("POST", V2, { body: { title: "t" }, headers });
    expect([status, json.code]).toEqual([415, "unsupported_media_type"]);
    expect(json.error).toContain("Content-Encoding");
    const plain = { "Content-Encoding": "identity" };
    expect((await bench().ask("POST", V2, { body: { title: "t" }, headers: plain })).status).toBe(
      201,
    );
  });
});

describe("ids", () => {
  const BAD = [
    ...["..%2f..%2fpackage", "%2e%2e%2fx", "%252e%252e", "a%00b", "a%5Cb", "%2Fetc%2Fpasswd"],
    ...["CON", "nul.json", "a.", ".a", "a..b", "%EF%BD%81", "%ff", "%zz", "x".repeat(10_000)],
  ];

  test.each(BAD)("%.40s is refused before any file is looked for", async (id) => {
    const { ask } = bench({ store: (root) => fsStore({ root }) });
    for (const [method, path] of [
      ["GET", `${V2}/${id}`],
      ["DELETE", `${V2}/${id}`],
      ["GET", `${V2}/${id}/why`],
      ["GET", `${V2}/tasks/${id}`],
      ["DELETE", `${V2}/tasks/t?loop_id=${id}`],
      ["GET", `${V2}/fine/progress/${id}`],
    ] as const) {
      const { status, json } = await ask(method, path);
      expect([status, json.code], `${method} ${path}`).toEqual([400, "invalid_id"]);
    }
  });

  test("names of objects' own parts are ids like others", async () => {
    const { ask } = bench();
    for (const id of ["__proto__", "constructor", "hasOwnProperty"]) {
      expect((await ask("GET", `${V2}/${id}`)).status).toBe(404);
      expect((await ask("GET", `${V2}/${id}/why`)).status).toBe(404);
    }
  });

  test("a loop may be called tasks", async () => {
    const { ask } = bench();
    await ask("POST", V2, { body: { id: "tasks", title: "Odd" } });
    expect((await ask("GET", `${V2}/tasks`)).json.data.title).toBe("Odd");
    for (const path of ["tasks", "why", "timeline", "receipts", "journal", "progress", "logs"]) {
      expect((await ask("GET", `${V2}/tasks/${path}`)).status, path).toBe(200);
    }
    const events = await ask("HEAD", `${V2}/tasks/events`);
    expect(events.headers.get("content-type")).toBe("text/event-stream");
    const task = { description: "d", tool: "codex", mode: "write", prompt_template: "p" };
    const { task_id } = (await ask("POST", `${V2}/tasks/tasks`, { body: task })).json.data;
    const found = await ask("GET", `${V2}/tasks/${task_id}`);
    expect(found.json.data).toMatchObject({ task_id, loop_id: "tasks" });
    expect((await ask("GET", `${V2}/tasks/none`)).json.code).toBe("task_not_found");
  });

  test.each(["../x", "nul", "-rf", "", "x".repeat(129)])(
    "%j is no id for a new loop",
    async (id) => {
      const { ask, service } = bench();
      await ask("POST", V2, { body: { id: "a", title: "t" } });
      const fork = { body: { from: 0, id } };
      for (const { status, json } of [
        await ask("POST", V2, { body: { id, title: "t" } }),
        await ask("POST", `${V2}/a/fork`, fork),
      ]) {
        expect([status, json.code]).toEqual([400, "invalid_id"]);
      }
      expect((await service.list()).total).toBe(1);
    },
  );

  test("a loop that another program called -x can be read, changed and deleted", async () => {
    const { ask, store, service } = bench();
    const { loop_id } = await service.create({ id: "x", description: "d" });
    const { state } = await store.read(loop_id);
    await store.create({ ...state, loop_id: "-x" }, { actor: "other" });
    expect((await ask("GET", `${V2}/-x`)).json.data.loop_id).toBe("-x");
    expect((await ask("PUT", `${V2}/-x`, { body: { notes: "n" } })).status).toBe(200);
    expect((await ask("DELETE", `${V2}/-x`)).status).toBe(200);
  });
});

describe("every answer", () => {
  test("of an unknown path is 404, of a known one with another method 405 with those it has", async () => {
    const { ask } = bench();
    expect((await ask("GET", "/api/nothing")).json.code).toBe("not_found");
    const { status, headers, json } = await ask("PATCH", `${V2}/a/tasks`);
    expect([status, json.code]).toEqual([405, "method_not_allowed"]);
    expect(headers.get("allow")).toBe("POST, GET, HEAD");
  });

  test("is the same where the app is mounted in another", async () => {
    const { app } = bench();
    const ask = askOf(new Hono().route("/loops", app));
    const made = await ask("POST", `/loops${V2}`, { body: { id: "a", title: "t" } });
    expect([made.status, made.headers.get("location")]).toEqual([201, `/loops${V2}/a`]);
    expect((await ask("GET", `/loops${V2}/a`)).json.data.title).toBe("t");
    expect((await ask("GET", `/loops${V2}/..%2fa`)).json.code).toBe("invalid_id");
    expect((await ask("DELETE", `/loops${V2}`)).status).toBe(405);
    expect((await ask("GET", `/loops${V2}/a/nothing`)).json.code).toBe("not_found");
    const serversOf = async (path: string, of = ask) => (await of("GET", path)).json.servers;
    expect(await serversOf("/loops/api/openapi.json")).toEqual([{ url: "/loops" }]);
    const deep = askOf(new Hono().route("/a", new Hono().route("/b/", app)));
    expect(await serversOf("/a/b/api/openapi.json", deep)).toEqual([{ url: "/a/b" }]);
    expect(await serversOf("/api/openapi.json", askOf(app))).toEqual([{ url: "/" }]);
  });

  test("carries the request's id, and the host is told what it was without its secrets", async () => {
    const records: RequestRecord[] = [];
    const { ask } = bench({ options: { onRequest: (record) => records.push(record) } });
    const headers = { "X-Request-Id": "mine-1" };
    const path = `${V2}/a/journal`;
    const answer = await ask("GET", `${V2}/a/journal?after=1`, { headers });
    expect(answer.headers.get("x-request-id")).toBe("mine-1");
    await ask("POST", V2, { body: { id: "a", title: "t" } });
    expect((await ask("GET", "/api/docs")).headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
    expect(records).toEqual([
      {
        id: "mine-1",
        method: "GET",
        path,
        route: `${V2}/:id/journal`,
        status: 404,
        duration_ms: expect.any(Number),
        code: "loop_not_found",
      },
      expect.objectContaining({ method: "POST", path: V2, status: 201 }),
      expect.objectContaining({ path: "/api/docs", status: 200 }),
    ]);
    expect(JSON.stringify(records)).not.toContain("after");
  });

  test("to what nobody expected says nothing of the inside, but tells the host", async () => {
    const records: RequestRecord[] = [];
    const { service, ask } = bench({ options: { onRequest: (record) => records.push(record) } });
    service.why = () => Promise.reject(new Error("password=hunter2"));
    const { status, json, text } = await ask("GET", `${V2}/a/why`);
    expect([status, json.code]).toEqual([500, "internal"]);
    expect(text).not.toContain("hunter2");
    expect(records).toMatchObject([{ code: "internal", error: { message: "password=hunter2" } }]);
  });

  test("is never a script's or a frame's", async () => {
    const { headers } = await bench().ask("GET", V2);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});
