import type { LoopPage, NewLoop } from "@ccw-loop/core";
import { describe, expect, it, vi } from "vitest";
import type { ServiceWith, WithService } from "./harness.ts";

export function describeCreate(serviceWith: ServiceWith): void {
  const withService = serviceWith();

  describe("create", () => {
    it("answers with the loop as it is kept, under a minted id", () =>
      withService(async ({ service }) => {
        const made = await service.create({ description: "Fix the cart\nand its tests" });
        expect(made).toMatchObject({ status: "created", title: "Fix the cart", revision: 1 });
        expect(made.loop_id).toMatch(/^loop-v2-\d{8}T\d{6}-[0-9a-f]{8}$/);
        expect(await service.get(made.loop_id)).toEqual(made);
      }));

    it("keeps everything that was said", () =>
      withService(async ({ service }) => {
        const spec: NewLoop = {
          id: "cart",
          title: "The cart",
          description: 'Fix it: "déjà vu" \u{1f6d2} </script>\n',
          max_iterations: 3,
          limits: { max_turns: 7 },
          settings: { mode: "interactive", verify: "npm test -- --a" },
          tags: ["a b", "ü"],
          priority: "high",
          notes: "",
        };
        const { id, description, ...rest } = structuredClone(spec);
        const made = await service.create(structuredClone(spec));
        expect(made).toMatchObject({ ...rest, loop_id: id, description: description.trim() });
        expect(await service.get("cart")).toEqual(made);
      }));

    it("refuses what is no loop with a sentence that names the field, and makes nothing", () =>
      withService(async ({ service }) => {
        const refused = async (spec: Record<string, unknown>, code: string, words: RegExp) => {
          const attempt = service.create({ description: "x", ...spec } as NewLoop);
          await expect(attempt).rejects.toMatchObject({
            code,
            message: expect.stringMatching(words),
          });
        };
        await refused({ description: "  " }, "invalid_input", /title|description/);
        await refused({ max_iterations: 0 }, "invalid_input", /max_iterations/);
        await refused({ max_iterations: 1e308 }, "invalid_input", /max_iterations .* 1000000/);
        await refused({ limits: { max_turns: "many" } }, "invalid_input", /limits\.max_turns/);
        await refused(
          { limits: { max_tokens: 1e308 } },
          "invalid_input",
          /max_tokens .* 1000000000000/,
        );
        await refused({ priority: "urgent" }, "invalid_input", /priority/);
        await refused({ id: "../x" }, "invalid_id", /is not a loop id/);
        await refused({ id: "nul" }, "invalid_id", /Windows device/);
        await refused({ id: "--force" }, "invalid_id", /is not an id for a new loop/);
        expect((await service.list()).total).toBe(0);
      }));

    it("refuses an id that is taken", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a" });
        await expect(make({ id: "a" })).rejects.toMatchObject({ code: "loop_exists" });
        expect((await service.get("a")).revision).toBe(1);
      }));

    it("gives a loop a worktree and a branch of its own", () =>
      serviceWith({ git: true })(async ({ service, cwd, make }) => {
        const { workspace } = await make({ id: "apart", worktree: true });
        expect(workspace).toMatchObject({ branch: "ccw-loop/apart" });
        expect(workspace?.path).not.toBe(cwd);
        await service.delete("apart");
        expect(await service.clean()).toEqual([]);
      }));
  });
}

const ids = ({ loops }: LoopPage) => loops.map(({ state }) => state.loop_id);

export function describeList(withService: WithService): void {
  describe("list", () => {
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

  describe("summaries", () => {
    it("are the list in short, with what a screen of very many loops needs", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a", title: "First", description: "x".repeat(900), tags: ["cart"] });
        await make({ id: "b" });
        await service.send("a", { type: "start" });
        const { loops, total, damaged } = await service.summaries({
          status: "running",
          limit: 100,
        });
        expect({ total, damaged }).toEqual({ total: 1, damaged: [] });
        expect(loops).toMatchObject([
          {
            ...{
              id: "a",
              revision: 2,
              title: "First",
              description: "x".repeat(500),
              tags: ["cart"],
            },
            ...{
              status: "running",
              health: "undriven",
              undriven_since: expect.any(String),
              driven_by: null,
            },
          },
        ]);
        const [whole, inShort] = [await service.list(), await service.summaries()];
        expect(inShort.loops.map(({ id }) => id)).toEqual(ids(whole));
        const [last] = inShort.loops;
        if (!last) throw new Error("There are two loops.");
        const after = { updated_at: last.updated_at, loop_id: last.id };
        expect((await service.summaries({ after })).loops).toEqual(inShort.loops.slice(1));
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

export function describeRecover(withService: WithService): void {
  describe("recover", () => {
    it("says what it would do, and does nothing when that is all it is asked for", () =>
      withService(async ({ service, make }) => {
        const made = await make({ id: "a" });
        const plan = await service.recover("a", { dryRun: true });
        expect(plan).toMatchObject({ source: "journal", unknown: [], state: { loop_id: "a" } });
        expect(await service.get("a")).toEqual(made);
      }));
  });
}
