/** What the fuzzer has found, each as the request that it was. */
import { expect, test } from "vitest";
import { openApiDocument } from "../src/openapi/document.ts";
import { raw, served, statuses, wire } from "./node/served.ts";

const END = { connection: "close" };

test("a client that expects something gets its answer all the same", async () => {
  const { port } = await served();
  const text = await raw(port, wire("GET /api/loops/v2", { expect: "200-maybe", ...END }));
  expect(statuses(text)).toEqual([200]);
  expect(text).toContain('"success":true');
});

test("asking for a WebSocket where there is none changes nothing", async () => {
  const { port } = await served();
  const upgrade = { connection: "Upgrade, close", upgrade: "websocket" };
  const key = { "sec-websocket-version": "13", "sec-websocket-key": "c2l4dGVlbiBieXRlcyEhIQ==" };
  const text = await raw(port, wire("GET /metrics", { ...upgrade, ...key }));
  expect(statuses(text)).toEqual([200]);
  expect(text).toContain("ccw_loop_http_requests_total");
  expect(statuses(await raw(port, wire("DELETE /api/health", upgrade)))).toEqual([405]);
});

test("a handshake without its key is refused as JSON", async () => {
  const { port } = await served();
  const text = await raw(port, wire("GET /ws", { connection: "Upgrade", upgrade: "websocket" }));
  expect(statuses(text)).toEqual([400]);
  expect(text).toContain('{"success":false,"error":"Missing or invalid Sec-WebSocket-Key header."');
});

test("what the agent or the tests may fail with is documented; a JSON document is no JSON string", () => {
  const { paths } = openApiDocument();
  const of = (path: string, method: string) =>
    Object.keys(paths[path]?.[method]?.responses as object).filter((status) => /^5/.test(status));
  expect(of("/api/loops/v2/{id}/generate", "post")).toEqual(["502", "503", "504"]);
  expect(of("/api/loops/v2/{id}/verify", "post")).toEqual(["503"]);
  expect(of("/api/ready", "get")).toEqual(["503"]);
  expect(of("/api/loops/v2", "get")).toEqual([]);
  const progress = paths["/api/loops/v2/{id}/progress/{document}"]?.get;
  expect(progress).toMatchObject({
    responses: { 200: { content: { "application/json": { schema: {} } } } },
  });
  expect(JSON.stringify(progress?.responses)).toContain('"application/json":{"schema":{}}');
});
