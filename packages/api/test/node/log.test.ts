import { expect, test } from "vitest";
import { createLog, logRequest } from "../../src/node/log.ts";

function logged(level: Parameters<typeof createLog>[1] = "debug") {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) }, level);
  return { log, lines };
}

const record = { id: "r1", method: "GET", path: "/api/loops/v2", status: 200, duration_ms: 1.234 };

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
  logRequest(log, "shop", { ...record, path: `/\u001b]0;x\u0007\u202e\n${"a".repeat(1000)}` });
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
