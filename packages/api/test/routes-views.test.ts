import { LoopError, PROGRESS_FILES, renderProgress } from "@ccw-loop/core";
import { expect, test, vi } from "vitest";
import { ndjson } from "../src/app/serve-operation.ts";
import { benchOfExamples } from "./example-loops.ts";
import { bench, TOKEN } from "./support.ts";

const V2 = "/api/loops/v2";
const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("progress documents are those of the state, each of its own type", async () => {
  const { ask, service } = await benchOfExamples(["cart-total"]);
  const rendered = renderProgress(await service.get("cart-total"));
  const { json } = await ask("GET", `${V2}/cart-total/progress`);
  expect(json.data).toEqual(Object.keys(rendered));
  expect(json.data).toEqual([...PROGRESS_FILES]);
  const types: Record<string, string> = {
    md: "text/markdown; charset=utf-8",
    log: "application/x-ndjson; charset=utf-8",
    json: "application/json; charset=utf-8",
  };
  for (const name of PROGRESS_FILES) {
    const { text, headers } = await ask("GET", `${V2}/cart-total/progress/${name}`);
    expect(text).toBe(rendered[name]);
    expect(headers.get("content-type")).toBe(types[name.replace(/.*\./, "")]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test("a document that is not there yet is 404, one that can never be is no id", async () => {
  const { ask } = await benchOfExamples(["fresh-start"]);
  const yet = await ask("GET", `${V2}/fresh-start/progress/summary.md`);
  expect([yet.status, yet.json.code]).toEqual([404, "not_found"]);
  const never = await ask("GET", `${V2}/fresh-start/progress/passwd`);
  expect([never.status, never.json.code]).toEqual([400, "invalid_id"]);
});

test("the journal is every event in order, from behind a revision", async () => {
  const { ask, service } = await benchOfExamples(["cart-total"]);
  const all = await Array.fromAsync(service.events("cart-total"));
  const { text, headers } = await ask("GET", `${V2}/cart-total/journal`);
  expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(lines(text)).toEqual(JSON.parse(JSON.stringify(all)));
  const later = lines((await ask("GET", `${V2}/cart-total/journal?after=3`)).text);
  expect(later[0].revision).toBe(4);
  expect(later).toEqual(lines(text).filter(({ revision }) => revision > 3));
});

test.each([
  ["its request ends", (request: AbortController) => request.abort()],
  ["its reader leaves", (_: AbortController, reader?: Reader) => void reader?.cancel()],
])("a log can be followed until %s", async (_, leave) => {
  const { app, store, service } = await benchOfExamples(["fresh-start"]);
  let follow: AbortSignal | undefined;
  const activity = service.activity;
  service.activity = (id, options) => {
    follow = options?.follow;
    return activity(id, options);
  };
  const request = new AbortController();
  const response = await app.request(`http://localhost${V2}/fresh-start/logs?follow=true`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
    signal: request.signal,
  });
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const record = (text: string) => ({ at: "t", action: "DEVELOP", event: { type: "m", text } });
  for (const text of ["one", "two\nlines"]) {
    await store.appendLog("fresh-start", [record(text)]);
    const { value = "" } = (await reader?.read()) ?? {};
    expect(value).toMatch(/^.*\n$/);
    expect(JSON.parse(value)).toMatchObject(record(text));
  }
  leave(request, reader);
  await vi.waitFor(() => expect(follow?.aborted).toBe(true));
});

type Reader = ReadableStreamDefaultReader<string>;

test("a log that is quiet shows that it lives, and loses nothing", async () => {
  const { promise: later, resolve } = Promise.withResolvers<void>();
  async function* values() {
    await later;
    yield* [1, 2];
  }
  const { body } = await ndjson(values(), { quietMs: 5 });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let n = 0; n < 2; n += 1) expect((await reader?.read())?.value).toBe("\n");
  resolve();
  let text = "";
  for (let read = await reader?.read(); !read?.done; read = await reader?.read()) {
    text += read?.value;
  }
  expect(text.trim()).toBe("1\n2");
});

test("a log of a loop that is not there is an error, followed or not", async () => {
  const { ask } = bench();
  for (const query of ["", "?follow=true"]) {
    expect((await ask("GET", `${V2}/none/logs${query}`)).status).toBe(404);
  }
});

test("the project is ready while it can be listed, and says to everybody whether somebody drives", async () => {
  let drives = true;
  const closing = new AbortController();
  const { ask, service } = bench({ options: { drives: () => drives, signal: closing.signal } });
  const ready = () => ask("GET", "/api/ready", { headers: { Authorization: "" } });
  expect((await ready()).json.data).toEqual({ drives: true });
  drives = false;
  const undriven = await ready();
  expect([undriven.status, undriven.json.data]).toEqual([200, { drives: false }]);
  const { list } = service;
  service.list = () => Promise.reject(new LoopError("store_corrupt", "The disk is gone."));
  const { status, json } = await ask("GET", "/api/ready");
  expect([status, json.code]).toEqual([503, "store_unavailable"]);
  expect(json.error).not.toContain("disk");
  expect((await ask("GET", "/api/health")).status).toBe(200);
  service.list = list;
  expect((await ready()).status).toBe(200);
  closing.abort();
  expect((await ready()).json).toMatchObject({ code: "store_unavailable" });
});

test("metrics count requests by route, never by what a caller wrote", async () => {
  const { ask } = await benchOfExamples(["fresh-start", "lunch-break"]);
  await ask("GET", `${V2}/fresh-start/why`);
  await ask("GET", `${V2}/secret-name/why`);
  await ask("GET", "/secret/path");
  const { text, headers } = await ask("GET", "/metrics");
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(text).not.toContain("secret");
  const why = `route="${V2}/:id/why",method="GET"`;
  expect(text).toContain(`ccw_loop_http_requests_total{${why},status="200"} 1\n`);
  expect(text).toContain(`ccw_loop_http_requests_total{${why},status="404"} 1\n`);
  expect(text).toContain(`ccw_loop_http_request_duration_seconds_count{${why}} 2\n`);
  expect(text).toContain('ccw_loop_loops{status="created"} 1\n');
  expect(text).toContain('ccw_loop_loops{status="paused"} 1\n');
  expect(text).toContain("ccw_loop_live_clients 0\n");
  for (const line of text.trimEnd().split("\n")) {
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\\\n]*",?)+\})? [\d.e+-]+)$/);
  }
});
