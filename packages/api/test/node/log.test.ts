import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { createLog, logRequest } from "../../src/node/log.ts";
import { served, wire } from "./served.ts";

function logged(level: Parameters<typeof createLog>[1] = "debug") {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) }, level);
  return { log, lines };
}

const record = {
  id: "r1",
  method: "GET",
  route: "none",
  path: "/api/loops/v2",
  status: 200,
  duration_ms: 1.234,
};

test("a request is one line, as loud as it ended", () => {
  const { log, lines } = logged();
  for (const status of [200, 404, 401, 503]) logRequest(log, "shop", { ...record, status });
  expect(lines.map(({ level }) => level)).toEqual([30, 30, 40, 50]);
  expect(lines[0]).toEqual({
    level: 30,
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    project: "shop",
    ...record,
    duration_ms: 1.2,
    msg: "request",
  });
});

test("what nobody expected is told with its stack", () => {
  const { log, lines } = logged("warn");
  logRequest(log, "shop", record);
  const error = new Error("boom");
  logRequest(log, "shop", { ...record, status: 500, code: "internal", error });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    code: "internal",
    err: { message: "boom", stack: error.stack },
  });
});

test("a path is shown inert, and not much of it", () => {
  const { log, lines } = logged();
  logRequest(log, "shop", {
    ...record,
    path: `/\u001b]0;x\u0007\u202e\n${"a".repeat(1000)}`,
  });
  expect(lines[0]?.path).toMatch(/^\/%1B%5D0;x%07%E2%80%AE%0Aa+$/);
  expect(String(lines[0]?.path).length).toBeLessThan(300);
  logRequest(log, "shop", { ...record, path: "/\ud800" });
  expect(lines).toHaveLength(2);
});

test("secrets are not written, whoever logs them", () => {
  const { log, lines } = logged();
  log.info({ token: "s3", request: { authorization: "s3", deep: { ticket: "s3" } } }, "x");
  expect(lines).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain("s3");
});

test.each([
  ["content-length", "100", '{"ti'],
  ["transfer-encoding", "chunked", '4\r\n{"ti\r\n'],
])("a body of a %s that breaks off is no failure of the server", async (name, value, part) => {
  const { port, log } = await served();
  const headers = { "content-type": "application/json", [name]: value };
  const socket = connect(port, "127.0.0.1");
  socket.write(wire("POST /api/loops/v2", headers) + part, () =>
    setImmediate(() => socket.destroy()),
  );
  const line = await vi.waitFor(() => {
    const found = log()
      .split("\n")
      .find((text) => text.includes('"POST"'));
    return JSON.parse(found ?? "") as object;
  });
  expect(line).toMatchObject({ level: 30, status: 408, code: "request_timeout" });
});

test("a place that is taken is said once, by the error", async () => {
  const first = await served();
  let logged = "";
  const log = createLog({ write: (line) => (logged += line) }, "debug");
  const attempt = served({ listen: { port: first.port }, log });
  await expect(attempt).rejects.toThrow("is taken by another process");
  expect(logged).toBe("");
});
