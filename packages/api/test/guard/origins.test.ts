import { expect, test } from "vitest";
import { guarded } from "./guarded.ts";

const PAGE = "https://board.example";
const corsOf = (answer: Response) =>
  [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));
const preflight = (origin: string) => ({
  method: "OPTIONS",
  headers: { origin, "access-control-request-method": "POST", authorization: "" },
});

test.each([
  "null",
  "https://evil.example",
  "http://localhost:9999",
  "http://localhost.evil.example",
  "http://board.example",
  "https://board.example:444",
  "https://board.example.evil.example",
  "https://BOARD.example",
  "file://",
  "chrome-extension://abcdefgh",
  "https://board.example, https://evil.example",
])("a page of %s is refused, without a CORS header", async (origin) => {
  const { ask, handled } = guarded({ origins: [PAGE] });
  for (const init of [{ headers: { origin } }, preflight(origin)]) {
    const answer = await ask("/api/loops/v2", init);
    expect(answer.status).toBe(403);
    expect(corsOf(answer)).toEqual([]);
  }
  expect(handled()).toBe(0);
});

test("programs send no origin, and a page of this server its own", async () => {
  const { ask } = guarded();
  const own = { host: "localhost:3456", origin: "http://localhost:3456" };
  for (const headers of [{}, own]) {
    const answer = await ask("/api/loops/v2", { headers });
    expect(answer.status).toBe(200);
    expect(corsOf(answer)).toEqual([]);
    expect(answer.headers.get("vary")).toBeNull();
  }
});

test("a configured origin gets exact answers, also when it is refused for another reason", async () => {
  const { ask } = guarded({ origins: [PAGE] });
  for (const [authorization, status] of [
    [undefined, 200],
    ["Bearer wrong", 401],
  ] as const) {
    const headers = { origin: PAGE, ...(authorization ? { authorization } : {}) };
    const answer = await ask("/api/loops/v2", { headers });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect(answer.headers.get("vary")).toBe("Origin");
  }
  expect((await ask("/")).headers.get("vary")).toBe("Origin");
});

test("its preflight is answered without a token, with the headers that clients send", async () => {
  const { ask, handled } = guarded({ origins: [`${PAGE}/`] });
  const answer = await ask("/api/loops/v2", preflight(PAGE));
  expect(answer.status).toBe(204);
  expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
  expect(answer.headers.get("access-control-allow-methods")).toContain("PATCH");
  const sent = answer.headers.get("access-control-allow-headers") ?? "";
  for (const name of ["Authorization", "Idempotency-Key", "If-Match", "Last-Event-ID", "Prefer"]) {
    expect(sent.split(", ")).toContain(name);
  }
  expect(answer.headers.get("access-control-expose-headers")).toContain("Preference-Applied");
  expect(handled()).toBe(0);
});

test("OPTIONS that is no preflight needs the token like everything", async () => {
  const { ask } = guarded({ origins: [PAGE] });
  const headers = { origin: PAGE, authorization: "" };
  expect((await ask("/api/loops/v2", { method: "OPTIONS", headers })).status).toBe(401);
});

test.each(["*", "null", "board.example", "https://board.example/path"])(
  "%s cannot be configured as an origin",
  (origin) => {
    expect(() => guarded({ origins: [origin] })).toThrow("is no origin");
  },
);
