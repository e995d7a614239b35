import { type LoopEvent, replay, SCHEMA_VERSION } from "@ccw-loop/core";
import { describe, expect } from "vitest";
import {
  BY,
  codeOf,
  expectOneWinner,
  later,
  loopTest,
  newLoop,
  noted,
  type OpenStore,
  started,
  storeTest,
} from "./fixtures.ts";
import { leaseRules } from "./lease-rules.ts";
import { logRules, queryRules } from "./query-rules.ts";
import { removeRules } from "./remove-rules.ts";
import { restoreRules } from "./restore-rules.ts";

/** The executable contract of `LoopStore`. An implementation is right when this suite passes. */
export function describeLoopStore(name: string, open: OpenStore): void {
  describe(`LoopStore contract: ${name}`, () => {
    commitRules(open);
    removeRules(open);
    restoreRules(open);
    queryRules(open);
    leaseRules(open);
    logRules(open);
  });
}

const UNSAFE_IDS = [
  "",
  ".",
  "..",
  "../a",
  "a/b",
  "a\\b",
  "/etc/passwd",
  "a\0",
  ".a",
  "nul.json",
  "CON",
];

export function commitRules(open: OpenStore): void {
  const test = storeTest(open);
  const loopedTest = loopTest(open);

  describe("commits", () => {
    test("create makes revision 1 and keeps what it does not know", async (store) => {
      const extra = { prep_source: { tool: "manual" }, constructor_of: [1] };
      const made = await store.create(newLoop("a", extra), BY);
      const read = await store.read("a");
      expect(made.revision).toBe(1);
      expect(read).toEqual(made);
      expect(read.state).toMatchObject({
        loop_id: "a",
        revision: 1,
        schema_version: SCHEMA_VERSION,
        ...extra,
      });
    });

    loopedTest("a loop is created once", async (store) => {
      const work = store.create(newLoop("a", { title: "another" }), BY);
      expect(await codeOf(work)).toBe("loop_exists");
      expect((await store.read("a")).state.title).toBe("Title of a");
    });

    loopedTest("append folds all its events into the state", async (store) => {
      const after = await store.append("a", 1, [started(later(1)), noted("x", later(2))], BY);
      expect(after.revision).toBe(2);
      expect(after.state).toMatchObject({ status: "running", notes: "x", updated_at: later(2) });
      expect(await store.read("a")).toEqual(after);
    });

    loopedTest("append stores all of its events or none", async (store) => {
      const broken = { type: "loop.edited", at: "yesterday", changes: {} } as LoopEvent;
      expect(await codeOf(store.append("a", 1, [started(), broken], BY))).toBe("invalid_input");
      expect((await store.read("a")).revision).toBe(1);
      expect(await Array.fromAsync(store.events("a"))).toHaveLength(1);
    });

    loopedTest("no events make no commit", async (store) => {
      expect((await store.append("a", 1, [], BY)).revision).toBe(1);
      expect(await codeOf(store.append("a", 2, [], BY))).toBe("revision_conflict");
    });

    loopedTest("a revision that is not the newest is refused", async (store) => {
      await store.append("a", 1, [started()], BY);
      expect(await codeOf(store.append("a", 1, [noted("late")], BY))).toBe("revision_conflict");
      expect(await codeOf(store.append("a", 3, [noted("early")], BY))).toBe("revision_conflict");
      expect((await store.read("a")).state.notes).toBeUndefined();
    });

    loopedTest("of many writers with one revision exactly one wins", async (store) => {
      const writes = Array.from({ length: 20 }, (_, i) =>
        codeOf(store.append("a", 1, [noted(`writer ${i}`)], BY)),
      );
      expectOneWinner(await Promise.all(writes), "revision_conflict");
      expect((await store.read("a")).revision).toBe(2);
      expect(await Array.fromAsync(store.events("a", 1))).toHaveLength(1);
    });

    loopedTest("a retry with the same op id happens once", async (store) => {
      const first = await store.append("a", 1, [noted("once")], { ...BY, opId: "op-1" });
      await store.append("a", 2, [noted("twice")], { ...BY, opId: "op-2" });
      const again = await store.append("a", 1, [noted("once")], { ...BY, opId: "op-1" });
      const later = await store.append("a", 3, [noted("once")], { ...BY, opId: "op-1" });
      expect(again).toEqual(first);
      expect(later).toEqual(first);
      expect((await store.read("a")).state.notes).toBe("twice");
      expect((await store.read("a")).revision).toBe(3);
    });

    loopedTest("an op id that says what is asked is refused for something else", async (store) => {
      const first = await store.append("a", 1, [noted("once")], { ...BY, opId: "op-1#x" });
      expect(await store.append("a", 1, [noted("once")], { ...BY, opId: "op-1#x" })).toEqual(first);
      expect(await store.operation("a", "op-1#x")).toEqual(first);
      const other = { ...BY, opId: "op-1#y" };
      await expect(store.append("a", 2, [noted("twice")], other)).rejects.toMatchObject({
        code: "op_reused",
      });
      await expect(store.operation("a", "op-1#y")).rejects.toMatchObject({ code: "op_reused" });
      // What was kept before ids said it, and who does not say it, means the same request.
      expect(await store.operation("a", "op-1")).toEqual(first);
      expect((await store.read("a")).revision).toBe(2);
    });

    test("what an op id made can be asked for", async (store) => {
      const made = await store.create(newLoop("a"), { ...BY, opId: "op-0" });
      const first = await store.append("a", 1, [noted("once")], { ...BY, opId: "op-1" });
      await store.append("a", 2, [noted("twice")], BY);
      expect(await store.operation("a", "op-0")).toEqual(made);
      expect(await store.operation("a", "op-1")).toEqual(first);
      expect(await store.operation("a", "op-2")).toBeNull();
      await expect(store.operation("b", "op-0")).rejects.toMatchObject({ code: "loop_not_found" });
    });

    test("creating again with the same op id answers with the first commit", async (store) => {
      const first = await store.create(newLoop("a"), { ...BY, opId: "op-1" });
      await store.append("a", 1, [started()], BY);
      expect(await store.create(newLoop("a"), { ...BY, opId: "op-1" })).toEqual(first);
    });

    loopedTest("what a caller does to an answer does not reach the store", async (store) => {
      const answer = await store.read("a");
      try {
        answer.state.title = "changed by the caller";
      } catch {
        // A store may answer with frozen objects.
      }
      expect((await store.read("a")).state.title).toBe("Title of a");
    });

    loopedTest("the events are the state, with revision and actor", async (store) => {
      await store.append("a", 1, [started(later(1)), noted("x", later(2))], { actor: "cli" });
      await store.append("a", 2, [noted("y", later(3))], { actor: "orchestrator" });
      const all = await Array.fromAsync(store.events("a"));
      expect(all.map((e) => [e.revision, e.actor, e.event.type])).toEqual([
        [1, "test", "loop.created"],
        [2, "cli", "loop.started"],
        [2, "cli", "loop.edited"],
        [3, "orchestrator", "loop.edited"],
      ]);
      expect(await Array.fromAsync(store.events("a", 2))).toEqual(all.slice(3));
      const { state } = await store.read("a");
      expect(state).toMatchObject(replay(all.map((e) => e.event)));
    });

    test("a loop that is not there is said so", async (store) => {
      expect(await codeOf(store.read("b"))).toBe("loop_not_found");
      expect(await codeOf(store.append("b", 1, [started()], BY))).toBe("loop_not_found");
      expect(await codeOf(store.remove("b"))).toBe("loop_not_found");
      expect(await codeOf(store.claim("b", "me", 1000))).toBe("loop_not_found");
      expect(await codeOf(Array.fromAsync(store.events("b")))).toBe("loop_not_found");
    });

    test("an unsafe id is refused by every method", async (store) => {
      const lease = { owner: "me", epoch: 1, ttlMs: 1 };
      for (const id of UNSAFE_IDS) {
        const calls: (() => unknown)[] = [
          () => store.create({ ...newLoop("a"), loop_id: id }, BY),
          () => store.read(id),
          () => store.append(id, 1, [started()], BY),
          () => Array.fromAsync(store.events(id)),
          () => Array.fromAsync(store.watch(id, AbortSignal.abort())),
          () => store.claim(id, "me", 1000),
          () => store.renew({ ...lease, id }),
          () => store.release({ ...lease, id }),
          () => store.ownerOf(id),
          () => store.remove(id),
          () => store.appendLog(id, []),
          () => Array.fromAsync(store.readLog(id)),
          async () => store.progressDir(id),
          () => store.recover(id, { dryRun: true, at: later(0) }),
        ];
        for (const call of calls) {
          expect(await codeOf(Promise.resolve().then(call)), String(call)).toBe("invalid_id");
        }
      }
      expect((await store.list()).total).toBe(0);
    });

    loopedTest("a healthy loop needs no recovery", async (store) => {
      const before = await store.read("a");
      const found = await store.recover("a", { dryRun: true, at: later(1) });
      expect(found).toMatchObject({ source: "journal", state: before.state, unknown: [] });
      expect(await store.read("a")).toEqual(before);
    });

    loopedTest("recovery is bound to a revision as a commit is", async (store) => {
      const at = later(1);
      const refused = { code: "revision_conflict", details: { revision: 1 } };
      for (const dryRun of [true, false]) {
        await expect(store.recover("a", { dryRun, at, revision: 2 })).rejects.toMatchObject(
          refused,
        );
      }
      const { state } = await store.recover("a", { dryRun: false, at, revision: 1 });
      expect(state).toMatchObject({ loop_id: "a", revision: 1 });
    });
  });
}
