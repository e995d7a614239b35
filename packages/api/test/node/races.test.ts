import { fsStore } from "@ccw-loop/store-fs";
import { expect, test } from "vitest";
import { served } from "./served.ts";

const V2 = "/api/loops/v2";
const PAIRS = 30;
const onDisk = { store: (root: string) => fsStore({ root, durability: "process" }) };

async function make(ask: (path: string, init?: RequestInit) => Promise<Response>, id: string) {
  const answer = await ask(V2, json("POST", { id, title: "t" }));
  expect(answer.status).toBe(201);
  return answer.headers.get("etag") ?? "";
}

function json(method: string, body: unknown): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

test("a change that was acknowledged is not deleted by a DELETE that did not know it", async () => {
  const { ask } = await served({ rate: false }, onDisk);
  for (let pair = 0; pair < PAIRS; pair++) {
    const path = `${V2}/loop-${pair}`;
    const etag = await make(ask, `loop-${pair}`);
    const [put, removed] = await Promise.all([
      ask(path, json("PUT", { notes: "kept" })),
      ask(path, { method: "DELETE", headers: { "if-match": etag } }),
    ]);
    const found = await ask(path);
    if (put.status === 200) {
      expect([removed.status, found.status]).toEqual([412, 200]);
      expect(await found.json()).toMatchObject({ data: { notes: "kept" } });
    } else expect([put.status, removed.status, found.status]).toEqual([404, 200, 404]);
  }
});

test("a loop that was started is not deleted", async () => {
  const { ask } = await served({ rate: false }, onDisk);
  for (let pair = 0; pair < PAIRS; pair++) {
    const path = `${V2}/loop-${pair}`;
    await make(ask, `loop-${pair}`);
    const [removed, started] = await Promise.all([
      ask(path, { method: "DELETE" }),
      ask(`${path}/start`, { method: "POST" }),
    ]);
    const found = (await ask(path)).status;
    const startWon = [[409, 200, 200]];
    const deleteWon = [[200, 404, 404]];
    expect([...startWon, ...deleteWon]).toContainEqual([removed.status, started.status, found]);
  }
});
