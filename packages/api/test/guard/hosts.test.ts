import { expect, test } from "vitest";
import { hostRule } from "../../src/guard/hosts.ts";
import { guarded } from "./guarded.ts";

const allowed = hostRule(["Loops.Example", "box:8443", "[2001:db8::1]"]);

test.each([
  "localhost",
  "LOCALHOST:80",
  "127.0.0.1",
  "127.0.0.1:3456",
  "127.1.2.3:9",
  "[::1]",
  "[::1]:3456",
  "[0:0:0:0:0:0:0:1]:3456",
  "[::ffff:127.0.0.1]:3456",
  "[::FFFF:7f01:203]",
  "[0:0:0:0:0:ffff:127.255.255.255]",
  "loops.example",
  "LOOPS.example:1234",
  "box:8443",
  "[2001:db8:0::1]:80",
])("%s is a host of this server", (host) => {
  expect(allowed(host)).toBe(true);
});

test.each([
  "",
  " ",
  "evil.example",
  "evil.example:3456",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "evil.example#localhost",
  "evil.example/@localhost",
  "localhost@evil.example",
  "user@localhost",
  "localhost, evil.example",
  "localhost:port",
  "localhost:3456:1",
  "::1",
  "[::1",
  "[::2]:3456",
  "[::ffff:128.0.0.1]",
  "[::127.0.0.1]",
  "[ffff::127.0.0.1]",
  "[1::1]",
  "[::]",
  "[::1%25lo]",
  "0.0.0.0:3456",
  "192.168.1.5",
  "box",
  "box:8444",
  "sub.loops.example",
  "loops.example.",
  "lоcalhost",
  "127.0.0.1\u0000",
  "a".repeat(10_000),
])("%j is none", (host) => {
  expect(allowed(host)).toBe(false);
});

test("a configuration that names no host is refused when the server starts", () => {
  expect(() => guarded({ hosts: ["https://loops.example"] })).toThrow("is no host");
});

test.each(["/api/health", "/api/loops/v2", "/api/events", "/"])(
  "another host is refused for %s, before any handler and whatever it carries",
  async (path) => {
    const { ask, handled } = guarded();
    const answer = await ask(path, { headers: { host: "evil.example" } });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ success: false, code: "forbidden" });
    expect(handled()).toBe(0);
  },
);

test("a whole URL on the request line counts beside Host", async () => {
  const { ask } = guarded();
  const headers = { host: "localhost:3456" };
  expect((await ask("http://evil.example/api/loops/v2", { headers })).status).toBe(403);
  expect((await ask("http://localhost:3456/api/loops/v2", { headers })).status).toBe(200);
});

test("a host application that looks by itself is asked for no host, unless it names some", async () => {
  const headers = { host: "shop.example", authorization: "" };
  const path = "http://shop.example/api/loops/v2";
  expect((await guarded({ access: "guarded" }).ask(path, { headers })).status).toBe(200);
  const named = guarded({ access: "guarded", hosts: ["other.example"] });
  expect((await named.ask(path, { headers })).status).toBe(403);
});
