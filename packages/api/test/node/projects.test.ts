import { expect, test } from "vitest";
import { HOST } from "../../src/contract/host.ts";
import { bench } from "../support.ts";
import { served } from "./served.ts";

const json = { "content-type": "application/json" };
const create = (id: string) => ({
  method: "POST",
  headers: json,
  body: JSON.stringify({ title: id, description: "x", id: id }),
});

test("loops of several projects stay apart; the first is at / as well", async () => {
  const projects = ["shop", "blog"].map((name) => ({ name, service: bench().service }));
  const { ask } = await served({ projects });
  const titles = async (path: string) => {
    const answer = await ask(`${path}/api/loops/v2`);
    const { data } = (await answer.json()) as { data: { title: string }[] };
    return data.map(({ title }) => title);
  };
  expect((await ask("/api/loops/v2", create("a"))).status).toBe(201);
  expect((await ask("/projects/blog/api/loops/v2", create("b"))).status).toBe(201);
  expect(await titles("")).toEqual(["a"]);
  expect(await titles("/projects/shop")).toEqual(["a"]);
  expect(await titles("/projects/blog")).toEqual(["b"]);
  const list = await (await ask("/api/projects")).json();
  expect(HOST.listProjects.answer.json.parse(list)).toEqual(list);
  expect(list).toEqual({
    success: true,
    data: [
      { name: "shop", path: "/projects/shop", first: true },
      { name: "blog", path: "/projects/blog", first: false },
    ],
  });
});

test("the OpenAPI document of each says below which path its operations lie", async () => {
  const projects = ["shop", "blog"].map((name) => ({ name, service: bench().service }));
  const { ask } = await served({ projects });
  const servers = async (path: string) => {
    const answer = await ask(`${path}/api/openapi.json`, { headers: { authorization: "" } });
    return ((await answer.json()) as { servers: unknown }).servers;
  };
  expect(await servers("")).toEqual([{ url: "/" }]);
  expect(await servers("/projects/shop")).toEqual([{ url: "/projects/shop" }]);
  expect(await servers("/projects/blog")).toEqual([{ url: "/projects/blog" }]);
});

test("a project that is not there, and its list, are for holders of the token", async () => {
  const { ask } = await served();
  for (const path of ["/api/projects", "/projects/other/api/loops/v2", "/projects/"]) {
    expect((await ask(path, { headers: { authorization: "" } })).status, path).toBe(401);
  }
  const missing = await ask("/projects/other/api/loops/v2");
  expect(missing.status).toBe(404);
  expect(await missing.json()).toMatchObject({ success: false, code: "not_found" });
  expect((await ask("/api/projects", { method: "DELETE" })).status).toBe(405);
  expect((await ask("/projects/shop/../../projects/shop/api/loops/v2")).status).toBe(200);
});

test("what is asked of no project is logged like everything else, a wrong token as a warning", async () => {
  const { ask, log } = await served();
  const paths = ["/api/projects", "/projects/other/api/loops/v2"];
  for (const path of paths) {
    const { headers } = await ask(path, { headers: { authorization: "Bearer wrong" } });
    expect(headers.get("x-request-id"), path).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("content-security-policy"), path).toContain("default-src 'none'");
    expect(log()).toContain(`"id":"${headers.get("x-request-id")}"`);
  }
  const lines = log().trim().split("\n");
  const warned = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
  expect(warned).toEqual(paths.map((path) => expect.objectContaining({ path, status: 401 })));
});

test.each([[["a", "a"]], [["a/b"]], [[".."]], [[""]], [[]]])(
  "projects called %j are refused",
  async (names) => {
    const { service } = bench();
    const projects = names.map((name) => ({ name, service }));
    await expect(served({ projects })).rejects.toMatchObject({ code: "invalid_input" });
  },
);
