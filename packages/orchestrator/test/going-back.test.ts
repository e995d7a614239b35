import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Workspace } from "@ccw-loop/core";
import { folderWorkspace } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { bench, plan, write } from "./support.ts";
import { testsThat } from "./tests-that.ts";

describe("going back", () => {
  const turns = [plan("one", "two"), write("a.js", "1"), write("b.js", "2")];
  async function finished() {
    const b = bench(turns, testsThat({ x: "passed" }));
    const id = await b.start({ description: "Add a flag" });
    await b.service.run(id);
    return { b, id };
  }
  const file = (dir: string, path: string) => readFileSync(join(dir, path), "utf8");

  test("brings files and state back together, and the loop can go on from there", async () => {
    const { b, id } = await finished();
    const then = (await b.service.get(id)).checkpoints?.[2];
    const { state: back } = await b.service.rewind(id, 2);
    expect(back).toMatchObject({ status: "paused", workspace: { restoring: null } });
    expect(back.workspace?.tree).toBe(then?.tree);
    expect(back.skill_state?.develop.tasks.map(({ status }) => status)).toEqual([
      ...["completed", "pending"],
    ]);
    expect(file(b.dir, "a.js")).toBe("1");
    expect(() => file(b.dir, "b.js")).toThrow("ENOENT");
    expect(back.receipts ?? []).toEqual([]);
  });

  test("leaves as it is what changed from outside, also in a further rewind", async () => {
    const { b, id } = await finished();
    writeFileSync(join(b.dir, "mine.js"), "mine");
    const { state, left } = await b.service.rewind(id, 2);
    expect(left).toEqual(["mine.js"]);
    expect(() => file(b.dir, "b.js")).toThrow("ENOENT");
    expect(file(b.dir, "mine.js")).toBe("mine");
    expect(state.checkpoints?.slice(-2)).toMatchObject([{ n: 2 }, { n: 3, outside: true }]);
    expect((await b.service.rewind(id, 1)).left).toEqual(["mine.js"]);
    expect(() => file(b.dir, "a.js")).toThrow("ENOENT");
    expect(file(b.dir, "mine.js")).toBe("mine");
  });

  test("refuses files that both the loop and somebody else changed, unless told", async () => {
    const { b, id } = await finished();
    writeFileSync(join(b.dir, "a.js"), "mine");
    await expect(b.service.rewind(id, 1)).rejects.toMatchObject({
      code: "workspace_changed",
      message: expect.stringContaining("1 file changed since checkpoint 1 not by this loop alone"),
      details: { paths: ["a.js"] },
    });
    expect(file(b.dir, "b.js")).toBe("2");
    const { kept } = await b.service.rewind(id, 1, { force: true });
    expect(kept).not.toBeNull();
    expect(() => file(b.dir, "a.js")).toThrow("ENOENT");
  });

  test("asks about what an action left that its process did not live to end", async () => {
    const { b, id } = await finished();
    const at = new Date().toISOString();
    const { revision } = await b.store.read(id);
    const cut = { action: "DEVELOP" as const, attempt: 1, task_id: null, tree: null };
    await b.store.append(id, revision, [{ type: "action.started", at, ...cut }], { actor: "dead" });
    writeFileSync(join(b.dir, "half.js"), "half");
    await expect(b.service.rewind(id, 1)).rejects.toMatchObject({
      details: { paths: ["half.js"] },
    });
  });

  test("is refused for a running loop, and for a number that is not there", async () => {
    const { b, id } = await finished();
    await expect(b.service.rewind(id, 99)).rejects.toThrow("no checkpoint 99");
    const other = await b.start();
    await b.service.send(other, { type: "start" });
    await expect(b.service.rewind(other, 0)).rejects.toMatchObject({ code: "invalid_transition" });
  });

  test("that a crash cut off is finished by the next run", async () => {
    const { b, id } = await finished();
    const { append } = b.store;
    b.store.append = async (...args) => {
      const stored = await append(...args);
      if (args[2].some(({ type }) => type === "loop.rewound")) throw new Error("killed");
      return stored;
    };
    await expect(b.service.rewind(id, 2)).rejects.toThrow("killed");
    expect(file(b.dir, "b.js")).toBe("2");
    b.store.append = append;
    await b.service.run(id).catch(() => undefined);
    expect((await b.service.get(id)).workspace?.restoring ?? null).toBeNull();
    expect((await b.service.timeline(id)).at(-1)?.action).toBeDefined();
  });

  test("keeps its lease, however long the files take", async () => {
    const { b, rewinding, slow } = await rewindSlowly();
    await slow.begun;
    const other = b.service.run("a");
    await expect(other).rejects.toMatchObject({ code: "loop_busy" });
    slow.end();
    await rewinding;
    expect(() => file(b.dir, "b.js")).toThrow("ENOENT");
  });

  test("leaves the files alone when its lease was lost all the same", async () => {
    const { b, rewinding, slow } = await rewindSlowly({ renews: false });
    await slow.begun;
    await b.store.claim("a", "another", 60_000);
    slow.end();
    await expect(rewinding).rejects.toMatchObject({ code: "fenced" });
    expect(file(b.dir, "b.js")).toBe("2");
  });

  /** A rewind that takes five times as long as its lease lasts to keep what is there. */
  async function rewindSlowly({ renews = true } = {}) {
    const leaseTtlMs = 60;
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let workspace: Workspace | undefined;
    const own = {
      workspace: async (folder: string) => (workspace ??= folderWorkspace(folder)),
    };
    const b = bench(turns, testsThat({ x: "passed" }), own);
    await b.start({ id: "a", description: "Add a flag" });
    await b.service.run("a");
    if (!workspace) throw new Error("No workspace was opened.");
    const { checkpoint } = workspace;
    workspace.checkpoint = async (...args) => {
      await setTimeout(leaseTtlMs * 5);
      begun.resolve();
      await ended.promise;
      return checkpoint(...args);
    };
    const { renew } = b.store;
    let renewing = renews;
    b.store.renew = async (lease) => (renewing ? renew(lease) : undefined);
    const short = { ...own, leaseTtlMs, store: b.store, cwd: b.dir };
    const rewinding = bench(turns, testsThat({ x: "passed" }), short).service.rewind("a", 2);
    rewinding.catch(() => undefined);
    const end = () => {
      renewing = true;
      ended.resolve();
    };
    return { b, rewinding, slow: { begun: begun.promise, end } };
  }

  test("the timeline and the difference tell what each action did", async () => {
    const { b, id } = await finished();
    expect(
      (await b.service.timeline(id)).map(({ action, checkpoint }) => [action, checkpoint]),
    ).toEqual([
      ["INIT", 1],
      ["DEVELOP", 2],
      ["DEVELOP", 3],
      ["VALIDATE", 4],
      ["COMPLETE", null],
    ]);
    const all = await b.service.diff(id);
    expect(all).toMatchObject({ from: 0, to: 4, files: [{ path: "a.js" }, { path: "b.js" }] });
    expect((await b.service.diff(id, { from: 2 })).files).toMatchObject([{ path: "b.js" }]);
    await expect(b.service.diff(id, { to: 9 })).rejects.toThrow("It has 0 to 4");
  });
});
