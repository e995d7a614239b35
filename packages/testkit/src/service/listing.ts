import { describe, expect, it, vi } from "vitest";
import type { WithService } from "./harness.ts";

export function describeList(withService: WithService): void {
  describe("list", () => {
    const ids = ({ loops }: { loops: { state: { loop_id: string } }[] }) =>
      loops.map(({ state }) => state.loop_id);

    it("is empty where no loop is", () =>
      withService(async ({ service }) => {
        expect(await service.list()).toEqual({ loops: [], total: 0, damaged: [], undriven: [] });
      }));

    it("has the whole states, with their revisions, those that changed last first", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a" });
        await make({ id: "b" });
        await service.send("a", { type: "edit", changes: { notes: "later" } });
        const page = await service.list();
        expect(ids(page)).toEqual(["a", "b"]);
        expect(page.loops[0]).toEqual({ state: await service.get("a"), revision: 2 });
      }));

    it("takes filters one by one and together", () =>
      withService(async ({ service, make }) => {
        await make({ id: "one", tags: ["x", "a&b=c"], description: "Cart & Ünïcode 50%" });
        await make({ id: "two", tags: ["x"] });
        await make({ id: "three" });
        await service.send("two", { type: "start" });
        const found = async (query: Parameters<typeof service.list>[0]) =>
          ids(await service.list(query)).sort();
        expect(await found({ tag: "x" })).toEqual(["one", "two"]);
        expect(await found({ tag: "a&b=c" })).toEqual(["one"]);
        expect(await found({ status: "running" })).toEqual(["two"]);
        expect(await found({ text: "& ünïcode 50%" })).toEqual(["one"]);
        expect(await found({ tag: "x", status: "created", text: "CART" })).toEqual(["one"]);
        expect(await found({ tag: "y" })).toEqual([]);
      }));

    it("goes on by offset, and behind a place that stays where it is while loops change", () =>
      withService(async ({ service, make }) => {
        for (const id of ["a", "b", "c", "d"]) await make({ id });
        const all = ids(await service.list());
        const second = await service.list({ limit: 2, offset: 1 });
        expect([ids(second), second.total]).toEqual([all.slice(1, 3), 4]);
        const last = second.loops[1]?.state;
        if (!last) throw new Error("The page has two loops.");
        const after = { updated_at: last.updated_at, loop_id: last.loop_id };
        await make({ id: "new" });
        expect(ids(await service.list({ after, limit: 2 }))).toEqual(all.slice(3));
        expect((await service.list({ after })).total).toBe(5);
        const first = (await service.list({ limit: 1 })).loops[0]?.state;
        if (!first) throw new Error("The page has a loop.");
        const behind = { updated_at: first.updated_at, loop_id: first.loop_id };
        const page = await service.list({ after: behind, offset: 1, limit: 2 });
        expect(ids(page)).toEqual(ids(await service.list()).slice(2, 4));
      }));

    it("gives 50 at a time unless told, and more than a server's page when asked", () =>
      withService(async ({ service, make }) => {
        await Promise.all(Array.from({ length: 52 }, (_, n) => make({ id: `loop-${n}` })));
        expect((await service.list()).loops).toHaveLength(50);
        const all = await service.list({ limit: 100 });
        expect(new Set(ids(all)).size).toBe(52);
        expect(all.total).toBe(52);
      }));
  });

  describe("get, tasks and why", () => {
    it("say what the loop would do next and why, and who drives it", () =>
      withService(async ({ service, store, make }) => {
        await make({ id: "a" });
        expect(await service.why("a")).toMatchObject({ action: null, rule: 1, driven_by: null });
        expect(await service.tasks("a")).toEqual([]);
        await service.send("a", { type: "start" });
        const lease = await store.claim("a", "somebody", 60_000);
        expect(await service.why("a")).toMatchObject({
          action: "INIT",
          rule: 2,
          guards: expect.arrayContaining([{ name: "status", value: "running" }]),
          driven_by: "somebody",
        });
        await store.release(lease);
      }));

    it("tell of a loop that is to be driven since when nobody does", () =>
      withService(async ({ service, store, make }) => {
        await make({ id: "a" });
        await make({ id: "b" });
        const told = async () => {
          const { driven_by, undriven_since } = await service.why("a");
          return { driven_by, undriven_since, listed: (await service.list()).undriven };
        };
        const nobody = { driven_by: null, undriven_since: null, listed: [] };
        const since = (time: string) => ({
          driven_by: null,
          undriven_since: time,
          listed: [{ id: "a", since: time }],
        });
        expect(await told()).toEqual(nobody);
        const { updated_at } = await service.send("a", { type: "start" });
        expect(await told()).toEqual(since(updated_at));
        const lease = await store.claim("a", "somebody", 60_000);
        expect(await told()).toEqual({ ...nobody, driven_by: "somebody" });
        await store.release(lease);
        expect(await told()).toEqual(since(updated_at));
        await store.claim("a", "who is gone", 1);
        const { renewed_at = "" } = (await store.leaseOf("a")) ?? {};
        await vi.waitFor(async () => expect(await told()).toEqual(since(renewed_at)));
        await service.send("a", { type: "pause" });
        expect(await told()).toEqual(nobody);
      }));
  });
}
