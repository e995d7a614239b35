import { afterEach, expect, test, vi } from "vitest";
import { clientOf } from "../../src/guard/rate.ts";
import { guarded } from "./guarded.ts";

afterEach(() => void vi.useRealTimers());

test("answers are not guessed at, not kept, and tell nobody where they were", async () => {
  const { ask } = guarded();
  for (const headers of [{}, { authorization: "" }, { host: "evil.example" }]) {
    const answer = await ask("/api/loops/v2", { headers });
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  }
});

test("a client that guesses is put off, and the right token passes nevertheless", async () => {
  vi.useFakeTimers();
  const { ask } = guarded();
  const guess = (peer: string) =>
    ask("/api/loops/v2", { headers: { authorization: "Bearer wrong" }, peer });
  for (let n = 0; n < 20; n++) expect((await guess("192.0.2.1")).status).toBe(401);
  const put = await guess("192.0.2.1");
  expect(put.status).toBe(429);
  expect(put.headers.get("retry-after")).toBe("1");
  expect(await put.json()).toMatchObject({ success: false, code: "too_many_requests" });
  expect((await guess("192.0.2.2")).status).toBe(401);
  expect((await ask("/api/loops/v2", { peer: "192.0.2.1" })).status).toBe(200);
  vi.advanceTimersByTime(1000);
  expect((await guess("192.0.2.1")).status).toBe(401);
});

test("a client that asks too often waits; others, and those of this machine, do not", async () => {
  vi.useFakeTimers();
  const { ask } = guarded({ rate: { perSecond: 2, burst: 3 } });
  const from = async (peer?: string) =>
    (await ask("/api/health", peer === undefined ? {} : { peer })).status;
  for (const status of [200, 200, 200, 429]) expect(await from("192.0.2.1")).toBe(status);
  expect(await from("192.0.2.2")).toBe(200);
  for (let n = 0; n < 10; n++) {
    expect([await from(), await from("127.0.0.1"), await from("::1")]).toEqual([200, 200, 200]);
  }
  vi.advanceTimersByTime(500);
  expect([await from("192.0.2.1"), await from("192.0.2.1")]).toEqual([200, 429]);
  const open = guarded({ rate: false });
  for (let n = 0; n < 2000; n++) await open.ask("/api/health", { peer: "192.0.2.1" });
  expect((await open.ask("/api/health", { peer: "192.0.2.1" })).status).toBe(200);
});

test("who asks with thousands of addresses makes the server remember no more of them", async () => {
  const { ask } = guarded({ rate: { perSecond: 0.001, burst: 1 } });
  const peers = Array.from({ length: 4097 }, (_, n) => `10.1.${n >> 8}.${n & 255}`);
  for (const peer of peers) await ask("/api/health", { peer });
  // The first was forgotten for the last.
  expect((await ask("/api/health", { peer: "10.1.0.0" })).status).toBe(200);
  expect((await ask("/api/health", { peer: "10.1.16.0" })).status).toBe(429);
});

test.each([
  [undefined, undefined],
  ["127.0.0.1", undefined],
  ["::1", undefined],
  ["::ffff:127.0.0.1", undefined],
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.8", "192.0.2.8"],
  ["2001:db8:1:2:3:4:5:6", "32.1.13.184.0.1.0.2"],
  ["2001:db8:1:2::9", "32.1.13.184.0.1.0.2"],
  ["2001:db8::9", "32.1.13.184.0.0.0.0"],
  ["fe80::1%eth0", "254.128.0.0.0.0.0.0"],
])("%s counts as %s", (address, client) => {
  expect(clientOf(address)).toBe(client);
});
