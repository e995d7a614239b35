import { fsStore } from "@ccw-loop/store-fs";
import { describe, expect, test } from "vitest";
import { createApp } from "../src/index.ts";
import { askOf, type Bench, bench, TOKEN } from "./support.ts";

const V2 = "/api/loops/v2";
const key = (name: string) => ({ "Idempotency-Key": name });

describe("a POST with an Idempotency-Key", () => {
  test("creates once, and answers as the first time", async () => {
    const { ask, service } = bench();
    const request = { body: { title: "Once" }, headers: key("k") };
    const [first, ...more] = await Promise.all([1, 2, 3].map(() => ask("POST", V2, request)));
    for (const again of more) expect(again.json).toEqual(first?.json);
    expect((await service.list()).total).toBe(1);
  });

  test("holds across a restart", async () => {
    const { ask, service } = bench({ store: (root) => fsStore({ root }) });
    const body = { body: { title: "Once" }, headers: key("k") };
    const made = await ask("POST", V2, body);
    const id = made.json.data.loop_id;
    const start = () => ask("POST", `${V2}/${id}/start`, { headers: key("go") });
    const started = await start();
    await service.send(id, { type: "pause" });

    const restarted = askOf(createApp(service, { access: { token: TOKEN } }));
    expect((await restarted("POST", V2, body)).json).toEqual(made.json);
    const again = await restarted("POST", `${V2}/${id}/start`, { headers: key("go") });
    expect(again.json).toEqual(started.json);
    expect((await service.get(id)).status).toBe("paused");

    const other = await restarted("POST", V2, { body: { title: "Other" }, headers: key("k") });
    expect([other.status, other.json.code]).toEqual([422, "op_reused"]);
    const late = { body: "{ }", headers: key("go") };
    const otherStart = await restarted("POST", `${V2}/${id}/start`, late);
    expect([otherStart.status, otherStart.json.code]).toEqual([422, "op_reused"]);
    expect((await service.list()).total).toBe(1);
  });

  test("is refused with another body, but not at another path", async () => {
    const { ask } = bench();
    const post = (path: string, body: unknown) => ask("POST", path, { body, headers: key("k") });
    expect((await post(V2, { id: "a", title: "one" })).status).toBe(201);
    const other = await post(V2, { id: "a", title: "two" });
    expect([other.status, other.json.code]).toEqual([422, "op_reused"]);
    expect((await post(`${V2}/a/commands`, { type: "start" })).status).toBe(200);
  });

  test("that failed may be sent again, corrected", async () => {
    const { ask } = bench();
    const post = (body: unknown) => ask("POST", `${V2}/a/commands`, { body, headers: key("k") });
    await ask("POST", V2, { body: { id: "a", title: "one" } });
    expect((await post({ type: "pause" })).status).toBe(409);
    expect((await post({ type: "start" })).status).toBe(200);
  });

  test("has one effect also where the service knows no repetition", async () => {
    const { ask, service } = bench();
    let verified = 0;
    service.verify = () => {
      verified += 1;
      return new Promise((resolve) => setImmediate(() => resolve({ verified } as never)));
    };
    const verify = (name: string) => ask("POST", `${V2}/a/verify`, { headers: key(name) });
    const answers = await Promise.all([verify("k"), verify("k"), verify("k")]);
    expect(answers.map(({ json }) => json.data)).toEqual(Array(3).fill({ verified: 1 }));
    expect((await verify("k")).json.data).toEqual({ verified: 1 });
    expect((await verify("other")).json.data).toEqual({ verified: 2 });
  });

  test.each([
    ["is too long", "x".repeat(201)],
    ["is empty", ""],
    ["is no ASCII", "k\u00e9"],
  ])("whose key %s is refused", async (_, name) => {
    const { status, json } = await bench().ask("POST", V2, {
      body: { title: "t" },
      headers: key(name),
    });
    expect([status, json.code]).toEqual([400, "invalid_input"]);
  });
});

describe("the state's ETag", () => {
  async function withLoop(fs = false): Promise<Bench & { etag: string }> {
    const made = bench(fs ? { store: (root) => fsStore({ root }) } : {});
    const { headers } = await made.ask("POST", V2, { body: { id: "a", title: "t" } });
    return { ...made, etag: headers.get("etag") ?? "" };
  }

  test.each([
    ["in memory", false],
    ["on files", true],
  ])("saves reading what is known, %s", async (_, fs) => {
    const { ask, etag, service } = await withLoop(fs);
    expect(etag).toMatch(/^"[\w-]+"$/);
    const get = (match: string) => ask("GET", `${V2}/a`, { headers: { "If-None-Match": match } });
    for (const match of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const { status, text, headers } = await get(match);
      expect([status, text, headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect((await get('"other"')).status).toBe(200);
    await service.send("a", { type: "edit", changes: { notes: "n" } });
    const changed = await get(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  test.each([
    ["PUT", "/a", { notes: "mine" }],
    ["PATCH", "/a/status", { status: "running" }],
    ["POST", "/a/start", undefined],
    ["POST", "/a/commands", { type: "edit", changes: { notes: "mine" } }],
    ["POST", "/a/rewind", { to: 0 }],
    ["POST", "/a/fork", { from: 0 }],
    ["POST", "/a/recover", { dry_run: false }],
    ["POST", "/a/import", { issue_id: "ISS-1" }],
    ["POST", "/a/generate", {}],
    ["POST", "/a/steer", { text: "left" }],
    ["DELETE", "/a", undefined],
    ["PUT", "/tasks/t", { loop_id: "a", description: "d" }],
    ["DELETE", "/tasks/t?loop_id=a", undefined],
  ])("binds %s %s to one state", async (method, path, body) => {
    const { ask, etag, service } = await withLoop();
    await service.send("a", { type: "edit", changes: { notes: "of somebody else" } });
    const { status, json } = await ask(method, V2 + path, {
      headers: { "If-Match": etag },
      ...(body ? { body } : {}),
    });
    expect([status, json.code]).toEqual([412, "revision_conflict"]);
    expect((await service.get("a")).notes).toBe("of somebody else");
  });

  test.each<[string, string, unknown]>([
    ["PUT", "/a", { title: "mine" }],
    ["POST", "/a/start", undefined],
    ["POST", "/a/rewind", { to: 0 }],
    ["POST", "/a/fork", { from: 0 }],
    ["POST", "/a/recover", { dry_run: false }],
    ["POST", "/a/verify", {}],
    ["POST", "/a/import", { issue_id: "ISS-1" }],
    ["POST", "/a/generate", {}],
    ["DELETE", "/a", undefined],
  ])("is decided by %s %s itself, not by a look before it", async (method, path, body) => {
    const { ask, etag, service } = await withLoop();
    const { get, recover } = service;
    const change = () => service.send("a", { type: "edit", changes: { notes: "acknowledged" } });
    service.get = async (id) => {
      const state = await get(id);
      await change();
      return state;
    };
    service.recover = async (id, options) => {
      const plan = await recover(id, options);
      if (options.dryRun) await change();
      return plan;
    };
    const { status, json } = await ask(method, V2 + path, {
      headers: { "If-Match": etag },
      ...(body ? { body } : {}),
    });
    expect([status, json.code]).toEqual([412, "revision_conflict"]);
    expect(await get("a")).toMatchObject({ notes: "acknowledged", revision: 2 });
  });

  test("of any state does not mind what changes meanwhile", async () => {
    const { ask, service } = await withLoop();
    const edits = Array.from({ length: 8 }, (_, at) =>
      ask("PUT", `${V2}/a`, { body: { notes: `writer ${at}` }, headers: { "If-Match": "*" } }),
    );
    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await service.get("a")).revision).toBe(9);
    expect((await ask("DELETE", `${V2}/b`, { headers: { "If-Match": "*" } })).status).toBe(404);
  });

  test("lets the change through that knows the newest state, and its repetition", async () => {
    const { ask, etag } = await withLoop();
    const headers = { "If-Match": etag, ...key("k") };
    const start = () => ask("POST", `${V2}/a/start`, { headers });
    const first = await start();
    expect(first.status).toBe(200);
    expect((await start()).json).toEqual(first.json);
    const late = await ask("POST", `${V2}/a/pause`, { headers: { "If-Match": etag } });
    expect(late.status).toBe(412);
    expect((await ask("POST", `${V2}/a/pause`, { headers: { "If-Match": "*" } })).status).toBe(200);
  });

  test("lets one of many writers win", async () => {
    const { ask, etag, service } = await withLoop(true);
    const puts = Array.from({ length: 8 }, (_, at) =>
      ask("PUT", `${V2}/a`, { body: { notes: `writer ${at}` }, headers: { "If-Match": etag } }),
    );
    const statuses = (await Promise.all(puts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(7);
    expect((await service.get("a")).revision).toBe(2);
  });
});
