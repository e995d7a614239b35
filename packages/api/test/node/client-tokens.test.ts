import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ClientTokens } from "../../src/node/client-tokens.ts";
import { bench } from "../support.ts";
import { served } from "./served.ts";

/** A server of two projects, with the tokens of its clients. */
async function serving() {
  const home = mkdtempSync(join(tmpdir(), "ccw-clients-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const tokenFile = join(home, "ccw-loop", "token");
  const projects = ["shop", "blog"].map((name) => ({ name, service: bench().service }));
  const door = await served({ tokenFile, projects });
  const clients = new ClientTokens(tokenFile);
  const ask = (token: string, path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return fetch(door.url + path, { ...init, headers });
  };
  const status = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;
  return { ...door, clients, ask, status };
}

const LOOPS = "/api/loops/v2";
const NEW = { method: "POST", body: JSON.stringify({ title: "x" }) };
const everything = (name: string) => ({ name, role: "operator", projects: null }) as const;

test("a client's token opens the server from then on, until it is rotated or revoked", async () => {
  const { clients, status } = await serving();
  const token = await clients.add(everything("ci"));
  expect(await status(token, LOOPS, NEW)).toBe(201);
  const next = await clients.rotate("ci");
  expect([await status(token, LOOPS), await status(next, LOOPS)]).toEqual([401, 200]);
  await clients.revoke("ci");
  expect(await status(next, LOOPS)).toBe(401);
  await expect(clients.rotate("ci")).rejects.toMatchObject({ code: "invalid_input" });
});

test("a read-only token changes nothing, and who asks is named", async () => {
  const { clients, ask, status, log } = await serving();
  const token = await clients.add({ ...everything("grafana"), role: "reader" });
  expect([await status(token, LOOPS), await status(token, "/metrics")]).toEqual([200, 200]);
  expect([
    await status(token, LOOPS, NEW),
    await status(token, `${LOOPS}/a`, { method: "DELETE" }),
  ]).toEqual([403, 403]);
  expect(await (await ask(token, "/api/session")).json()).toMatchObject({
    data: { role: "reader", client: "grafana", expires_at: null },
  });
  expect(log()).toContain('"client":"grafana"');
  expect(log()).not.toContain(token);
});

test("a token for one project opens no other, under none of its addresses", async () => {
  const { clients, ask, status } = await serving();
  const token = await clients.add({ ...everything("blog-only"), projects: ["blog"] });
  const asked = ["/projects/blog", "/projects/shop", ""].map((at) => status(token, at + LOOPS));
  expect(await Promise.all(asked)).toEqual([200, 403, 403]);
  const { data } = (await (await ask(token, "/projects/blog/api/projects")).json()) as {
    data: unknown;
  };
  expect(data).toEqual([{ name: "blog", path: "/projects/blog", first: false }]);
});

test("a client's token makes nothing that would outlive it or reach further", async () => {
  const { clients, status } = await serving();
  const all = await clients.add(everything("all"));
  const one = await clients.add({ ...everything("one"), projects: ["shop"] });
  const post = { method: "POST" };
  for (const token of [all, one]) {
    expect(await status(token, "/api/logins", post)).toBe(403);
    expect(await status(token, "/api/session", post)).toBe(403);
  }
  expect(await status(all, "/api/tickets", post)).toBe(200);
  expect(await status(one, "/api/tickets", post)).toBe(403);
});

test("what is kept has no token in it, and is its owner's alone", async () => {
  const { clients } = await serving();
  const token = await clients.add(everything("ci"));
  const [file = ""] = readdirSync(clients.folder);
  const path = join(clients.folder, file);
  expect(readFileSync(path, "utf8") + file).not.toContain(token);
  expect([statSync(path).mode & 0o777, statSync(clients.folder).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  expect(await clients.list()).toMatchObject([everything("ci")]);
});

test("a name that is taken, or none, is refused", async () => {
  const { clients } = await serving();
  await clients.add(everything("ci"));
  for (const name of ["ci", "", "../x", "a b"]) {
    await expect(clients.add(everything(name))).rejects.toMatchObject({ code: "invalid_input" });
  }
});

test("a folder that others may write to lets nobody in", async () => {
  const { clients, status } = await serving();
  const token = await clients.add(everything("ci"));
  chmodSync(clients.folder, 0o777);
  expect(await status(token, LOOPS)).toBe(401);
  await expect(clients.list()).rejects.toMatchObject({ code: "unsafe_path" });
});
