import { fsStore } from "@ccw-loop/store-fs";
import { describe, expect, test } from "vitest";
import { benchOfExamples } from "./example-loops.ts";
import { type Bench, bench } from "./support.ts";

const V2 = "/api/loops/v2";

describe("the list", () => {
  async function withLoops(count: number): Promise<Bench> {
    const made = bench({ store: (root) => fsStore({ root, durability: "process" }) });
    for (let at = 0; at < count; at += 1) {
      const tags = at % 2 === 0 ? ["even"] : ["odd"];
      await made.service.create({ id: `loop-${at}`, title: `Loop ${at}`, description: "", tags });
    }
    return made;
  }

  test("is read page by page without gap or repeat while loops change", async () => {
    const { ask, service } = await withLoops(9);
    const seen: string[] = [];
    let query = "limit=2";
    for (;;) {
      const { json } = await ask("GET", `${V2}?${query}`);
      expect(json).toMatchObject({ success: true, limit: 2, offset: 0, damaged: [] });
      seen.push(...json.data.map((loop: { loop_id: string }) => loop.loop_id));
      expect(json.hasMore).toBe(json.next_cursor !== null);
      if (json.next_cursor === null) break;
      // What was seen already comes to the front; what an offset names would move.
      await service.send(seen[0] ?? "", { type: "edit", changes: { notes: `${seen.length}` } });
      query = `limit=2&cursor=${encodeURIComponent(json.next_cursor)}`;
    }
    expect(seen).toHaveLength(9);
    expect(new Set(seen).size).toBe(9);
  });

  test("is filtered by status, tag and text", async () => {
    const { ask, service } = await withLoops(4);
    await service.send("loop-2", { type: "start" });
    const ids = async (query: string) => {
      const { json } = await ask("GET", `${V2}?${query}`);
      expect(json.total).toBe(json.data.length);
      return json.data.map((loop: { loop_id: string }) => loop.loop_id).sort();
    };
    expect(await ids("status=running")).toEqual(["loop-2"]);
    expect(await ids("status=created&tag=even")).toEqual(["loop-0"]);
    expect(await ids("text=LOOP%203")).toEqual(["loop-3"]);
    expect(await ids("status=all&tag=none")).toEqual([]);
  });

  test.each([
    ["limit=0", "limit must be a whole number from 1 to 500"],
    ["limit=501", "limit must be a whole number from 1 to 500"],
    ["limit=1.5", "limit must be a whole number from 1 to 500"],
    ["offset=-1", "offset must be a whole number from 0 on"],
    [
      "status=zzz",
      "status must be one of: created, running, paused, completed, failed, user_exit, all",
    ],
    ["cursor=nonsense", /^This cursor is not one of ours/],
    [`cursor=${btoa('["today","x"]')}`, /^This cursor is not one of ours/],
  ])("with %s is refused", async (query, error) => {
    const { status, json } = await bench().ask("GET", `${V2}?${query}`);
    expect([status, json.code]).toEqual([400, "invalid_input"]);
    if (typeof error === "string") expect(json.error).toBe(error);
    else expect(json.error).toMatch(error);
  });
});

test("delete leaves nothing, and a second one is 404", async () => {
  const { ask } = await benchOfExamples();
  expect((await ask("DELETE", `${V2}/cart-total`)).json).toEqual({
    success: true,
    message: "Loop deleted",
  });
  for (const path of ["", "/why", "/timeline", "/journal", "/progress", "/logs", "/tasks"]) {
    const { status, json } = await ask("GET", `${V2}/cart-total${path}`);
    expect([status, json.code], path).toEqual([404, "loop_not_found"]);
  }
  expect((await ask("DELETE", `${V2}/cart-total`)).status).toBe(404);
});

describe("commands", () => {
  test.each([
    [
      "created",
      "fresh-start",
      { running: "running", user_exit: 409, paused: 409, failed: "failed" },
    ],
    ["paused", "lunch-break", { running: "running", user_exit: "user_exit", failed: "failed" }],
    ["running", "needs-you", { paused: "paused", user_exit: "user_exit", running: 409 }],
    ["any", "cart-total", { running: 409, paused: 409, created: 409, completed: 409 }],
  ])("a wished status of a loop that is %s", async (_, id, wishes) => {
    for (const [status, result] of Object.entries(wishes)) {
      const { ask } = await benchOfExamples([id]);
      const answer = await ask("PATCH", `${V2}/${id}/status`, { body: { status } });
      if (typeof result === "string") expect(answer.json.data.status, status).toBe(result);
      else expect([answer.status, answer.json.code]).toEqual([result, "invalid_transition"]);
    }
  });

  test("an answer ends the waiting, a choice is one of the menu", async () => {
    const { ask, service } = await benchOfExamples(["needs-you"]);
    const input = (body: unknown) => ask("POST", `${V2}/needs-you/input`, { body });
    for (const body of [{}, { answer: "a", choice: "exit" }, { choice: "status" }, { answer: 1 }]) {
      expect((await input(body)).status).toBe(400);
    }
    expect((await input({ answer: "Table B" })).json.data.waiting).toBeUndefined();
    expect((await input({ answer: "Again" })).json.error).toBe(
      "This loop is not waiting for an answer.",
    );
    expect((await input({ choice: "exit" })).json.data.status).toBe("user_exit");
    expect((await service.get("needs-you")).status).toBe("user_exit");
  });

  test("reasons and reopening go through", async () => {
    const { ask } = await benchOfExamples(["needs-you"]);
    const post = (path: string, body: unknown) => ask("POST", `${V2}/needs-you/${path}`, { body });
    const stopped = await post("stop", { reason: "Out of money" });
    expect(stopped.json.data.outcome).toEqual({ code: "stopped_by_user", message: "Out of money" });
    expect((await post("resume", {})).status).toBe(409);
    const resumed = await post("resume", { reopen: true, changes: { max_iterations: 20 } });
    expect(resumed.json).toMatchObject({ message: "Loop resumed", data: { max_iterations: 20 } });
  });

  test("a turn that is not there cannot be steered", async () => {
    const { ask } = await benchOfExamples(["fresh-start"]);
    const { status, json } = await ask("POST", `${V2}/fresh-start/steer`, {
      body: { text: "left" },
    });
    expect([status, json.code]).toEqual([400, "invalid_input"]);
  });
});
