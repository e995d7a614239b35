import { expect, test } from "vitest";
import { BEARER, raw, served, statuses, wire } from "./served.ts";

const V2 = "/api/loops/v2";
const HEALTH = wire("GET /api/health");
const json = { "content-type": "application/json" };
const large = { ...json, "content-length": `${2 * 1024 * 1024}` };
const chunk = `${(1200000).toString(16)}\r\n${" ".repeat(1200000)}\r\n`;

test.each<[string, string[], number]>([
  ["a length that is too large", [wire(`POST ${V2}`, large)], 413],
  ["a body that is too large", [wire(`POST ${V2}`, large), " ".repeat(2 * 1024 * 1024)], 413],
  [
    "chunks that are too large",
    [wire(`POST ${V2}`, { ...json, "transfer-encoding": "chunked" }), chunk, "0\r\n\r\n"],
    413,
  ],
  ["half a body and no token", [wire(`POST ${V2}`, { ...large, authorization: "" }), "{"], 401],
  [
    "half a body and no route",
    [wire("POST /api/none", { ...json, "content-length": "5000" }), "{"],
    404,
  ],
])("an answer to %s says that the connection ends with it", async (_, parts, status) => {
  const { port } = await served();
  const answer = await raw(port, [...parts, HEALTH]);
  expect(statuses(answer)).toEqual([status]);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).not.toMatch(/keep-alive/i);
});

test("a refusal of a request that came in whole leaves the connection to the next one", async () => {
  const { port } = await served();
  const body = { ...json, "content-length": "2" };
  const parts = [
    wire(`POST ${V2}`, body, "{}"),
    HEALTH.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"),
  ];
  expect(statuses(await raw(port, parts))).toEqual([400, 200]);
});

test("a client that is still sending gets the answer", async () => {
  const { url } = await served();
  for (let n = 0; n < 5; n++) {
    const body = " ".repeat(4 * 1024 * 1024);
    const answer = await fetch(url + V2, { method: "POST", headers: { ...BEARER, ...json }, body });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: "too_large" });
  }
});
