import { afterEach, expect, test, vi } from "vitest";
import { guarded, TOKEN } from "./guarded.ts";

afterEach(() => void vi.useRealTimers());

type Ask = ReturnType<typeof guarded>["ask"];

const OWN = { origin: "http://localhost", "x-ccw-loop": "page" };

/** What a browser of this server's page sends; it has no token. */
function browser(cookie: string, headers: Record<string, string> = {}) {
  return { authorization: "", "sec-fetch-site": "same-origin", cookie, ...headers };
}

async function codeOf(ask: Ask, query = "", headers = {}): Promise<string> {
  const answer = await ask(`/api/logins${query}`, { method: "POST", headers });
  return ((await answer.json()) as { data: { login: string } }).data.login;
}

async function logIn(ask: Ask, code: string, origin = OWN.origin): Promise<Response> {
  const headers = { authorization: `Login ${code}`, origin };
  return ask(`${origin}/api/session`, { method: "POST", headers });
}

function cookieOf(answer: Response): string {
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function session(ask: Ask, query = ""): Promise<string> {
  return cookieOf(await logIn(ask, await codeOf(ask, query)));
}

test("a login code is spent by its first use, and opens nothing else", async () => {
  const { ask } = guarded();
  const code = await codeOf(ask);
  const authorization = `Login ${code}`;
  expect((await ask("/api/loops/v2", { headers: { authorization } })).status).toBe(401);
  const first = await logIn(ask, code);
  expect(first.status).toBe(200);
  expect((await logIn(ask, code)).status).toBe(401);
  const url = `/api/loops/v2?login=${await codeOf(ask)}`;
  expect((await ask(url, { headers: { authorization: "" } })).status).toBe(401);
});

test("a login code that nobody used is none after a quarter of an hour", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const { ask } = guarded();
  const code = await codeOf(ask);
  vi.advanceTimersByTime(15 * 60_000 + 1);
  expect((await logIn(ask, code)).status).toBe(401);
});

test("the cookie is for this server's own pages: HttpOnly, SameSite=Strict, and Secure over TLS", async () => {
  const { ask } = guarded({ hosts: ["loops.example"] });
  const plain = (await logIn(ask, await codeOf(ask))).headers.get("set-cookie");
  expect(plain).toMatch(/^ccw_loop_session_default=operator\.\d+\.[\w-]{22}\.[\w-]{43}; /);
  expect(plain).toContain("; Max-Age=604");
  expect(plain).toContain("; Path=/");
  expect(plain).toContain("; HttpOnly");
  expect(plain).toContain("; SameSite=Strict");
  expect(plain).not.toContain("Secure");
  expect(plain).not.toContain(TOKEN);
  const safe = await logIn(ask, await codeOf(ask), "https://loops.example");
  expect(safe.headers.get("set-cookie")).toContain("; Secure");
});

test("servers on two ports of one machine do not take each other's cookie", async () => {
  const { ask } = guarded();
  const headers = { authorization: `Login ${await codeOf(ask)}`, host: "localhost:3456" };
  const answer = await ask("/api/session", { method: "POST", headers });
  expect(answer.headers.get("set-cookie")).toMatch(/^ccw_loop_session_3456=/);
});

test.each<[string, number, string, Record<string, string>]>([
  ["a page of this server reads", 200, "GET", {}],
  ["an address that was typed reads", 200, "GET", { "sec-fetch-site": "none" }],
  ["a browser that does not say from where reads", 200, "GET", { "sec-fetch-site": "" }],
  ["another port of the host reads", 401, "GET", { "sec-fetch-site": "same-site" }],
  ["another site reads", 401, "GET", { "sec-fetch-site": "cross-site" }],
  ["a page of this server writes", 200, "POST", OWN],
  ["a write that names no origin", 401, "POST", { "x-ccw-loop": "page" }],
  ["a write without the header", 401, "POST", { origin: OWN.origin }],
  ["another port writes", 403, "POST", { ...OWN, origin: "http://localhost:81" }],
  ["another site writes", 401, "POST", { ...OWN, "sec-fetch-site": "cross-site" }],
  ["an address that was typed writes", 401, "POST", { ...OWN, "sec-fetch-site": "none" }],
  ["a write without a site, from an old browser", 200, "PUT", { ...OWN, "sec-fetch-site": "" }],
])("with the cookie: %s, %i", async (_, status, method, headers) => {
  const { ask } = guarded();
  const cookie = await session(ask);
  const answer = await ask("/api/loops/v2", { method, headers: browser(cookie, headers) });
  expect(answer.status).toBe(status);
});

test("a page of an allowed other origin has no use of the cookie", async () => {
  const { ask } = guarded({ origins: ["https://tools.example"] });
  const cookie = await session(ask);
  const headers = browser(cookie, { origin: "https://tools.example", "x-ccw-loop": "page" });
  for (const method of ["GET", "POST"])
    expect((await ask("/api/loops/v2", { method, headers })).status).toBe(401);
});

test("who was logged out has nothing any more, and the browser forgets the cookie", async () => {
  const { ask } = guarded();
  const cookie = await session(ask);
  const other = await session(ask);
  const out = await ask("/api/session", { method: "DELETE", headers: browser(cookie, OWN) });
  expect(out.headers.get("set-cookie")).toMatch(/=; Max-Age=0;/);
  const seen = async (text: string) =>
    (await ask("/api/loops/v2", { headers: browser(text) })).status;
  expect([await seen(cookie), await seen(other)]).toEqual([401, 200]);
});

test("a session outlives a restart of the server, and ends with the token and after a week", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const cookie = await session(guarded().ask);
  const seen = async (ask: Ask) => (await ask("/api/x", { headers: browser(cookie) })).status;
  expect(await seen(guarded().ask)).toBe(200);
  expect(await seen(guarded({ access: { token: `${TOKEN}-new` } }).ask)).toBe(401);
  vi.advanceTimersByTime(7 * 24 * 60 * 60_000 + 1);
  expect(await seen(guarded().ask)).toBe(401);
});

test("a reader sees everything and changes nothing, also not by another login", async () => {
  const { ask } = guarded();
  const cookie = await session(ask, "?read_only=true");
  expect((await ask("/api/loops/v2", { headers: browser(cookie) })).status).toBe(200);
  const who = await ask("/api/session", { headers: browser(cookie) });
  expect(await who.json()).toMatchObject({ data: { role: "reader" } });
  for (const path of ["/api/loops/v2", "/api/logins", "/api/tickets"]) {
    const answer = await ask(path, { method: "POST", headers: browser(cookie, OWN) });
    expect([path, answer.status]).toEqual([path, 403]);
  }
  const again = await ask("/api/session", { method: "POST", headers: browser(cookie, OWN) });
  expect(cookieOf(again)).toMatch(/=reader\./);
});

test("no part of a cookie can be changed", async () => {
  const { ask } = guarded();
  const cookie = await session(ask, "?read_only=true");
  const [, end = ""] = /\.(\d+)\./.exec(cookie) ?? [];
  const changed = [
    cookie.replace("reader", "operator"),
    cookie.replace(end, `${Number(end) + 1000}`),
    cookie.replace(/.$/, (last) => (last === "A" ? "E" : "A")),
    cookie.slice(0, -1),
    `${cookie}x`,
  ];
  for (const text of changed) {
    expect((await ask("/api/x", { headers: browser(text) })).status, text).toBe(401);
  }
});
