import type { LoopService } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import { codeOf } from "../store/contract/fixtures.ts";
import { makeIssue, type ServiceWith, type WithService } from "./harness.ts";

export function describeOpIds(withService: WithService): void {
  describe("a request that comes twice under one id", () => {
    it("makes one loop, and answers both times with it", () =>
      withService(async ({ service, make }) => {
        const spec = { description: "Add a flag" };
        const first = await service.create(spec, { opId: "k1" });
        expect(await service.create(spec, { opId: "k1" })).toEqual(first);
        const named = await service.create({ ...spec, id: "n" }, { opId: "k2" });
        expect(await service.create({ ...spec, id: "n" }, { opId: "k2" })).toEqual(named);
        expect((await service.list()).total).toBe(2);
        await expect(make({ id: "n" })).rejects.toMatchObject({ code: "loop_exists" });
      }));

    it("happens once, also when it would be refused the second time", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a" });
        const started = await service.send("a", { type: "start" }, { opId: "once" });
        await service.send("a", { type: "pause" });
        await service.send("a", { type: "stop" });
        const again = await service.send("a", { type: "start" }, { opId: "once" });
        expect(again).toEqual(started);
        expect(await service.get("a")).toMatchObject({ status: "failed", revision: 4 });
      }));

    it("is refused when it says that it asks for something else", () =>
      withService(async ({ service }) => {
        const refused = { code: "op_reused" };
        const made = await service.create({ description: "Add a flag" }, { opId: "k#1" });
        expect(await service.create({ description: "Add a flag" }, { opId: "k#1" })).toEqual(made);
        const other = service.create({ description: "Drop a flag" }, { opId: "k#2" });
        await expect(other).rejects.toMatchObject(refused);
        const { loop_id: id } = made;
        const edit = (notes: string) => ({ type: "edit", changes: { notes } }) as const;
        await service.send(id, edit("one"), { opId: "e#1" });
        await expect(service.send(id, edit("two"), { opId: "e#2" })).rejects.toMatchObject(refused);
        expect(await service.get(id)).toMatchObject({ notes: "one", revision: 2 });
        expect((await service.list()).total).toBe(1);
      }));

    it("happens once, however many come at the same time", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a" });
        const sends = Array.from({ length: 5 }, () =>
          service.send("a", { type: "edit", changes: { notes: "n" } }, { opId: "same" }),
        );
        const revisions = (await Promise.all(sends)).map(({ revision }) => revision);
        expect(revisions).toEqual([2, 2, 2, 2, 2]);
      }));

    it("is another one under another id", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a" });
        const edit = { type: "edit", changes: { notes: "n" } } as const;
        await service.send("a", edit, { opId: "k1" });
        await service.send("a", edit, { opId: "k2" });
        await service.send("a", edit);
        await service.send("a", edit);
        expect((await service.get("a")).revision).toBe(5);
      }));
  });
}

const PAIRS = 20;

const edit = (notes: string) => ({ type: "edit", changes: { notes } }) as const;

/** What takes a revision, with a loop that has ended; the last of them is the end of the loop. */
const BOUND: Record<string, (service: LoopService, revision: number) => Promise<unknown>> = {
  send: (service, revision) => service.send("a", edit("bound"), { revision }),
  importTasks: (service, revision) => service.importTasks("a", "ISS-1", { revision }),
  generateTasks: (service, revision) => service.generateTasks("a", { revision }),
  recover: (service, revision) => service.recover("a", { dryRun: false, revision }),
  receipt: (service, revision) => service.receipt("a", { revision }),
  verify: (service, revision) => service.verify("a", { revision }),
  fork: (service, revision) => service.fork("a", 2, { id: "b" }, { revision }),
  rewind: (service, revision) => service.rewind("a", 1, { revision }),
  delete: (service, revision) => service.delete("a", { revision }),
};

export function describeRevisions(serviceWith: ServiceWith): void {
  const withService = serviceWith();

  describe("a request that names a revision", () => {
    it("happens only while the loop is at it, and else changes nothing and names the newest", () =>
      serviceWith({ git: true, drives: true })(async (bench) => {
        const { service, make } = bench;
        await makeIssue(bench.cwd, { id: "ISS-1" }, [{ tasks: [{ title: "fix it" }] }]);
        await make({ id: "a" });
        await service.run("a");
        for (const [name, act] of Object.entries(BOUND)) {
          const { revision = 0 } = await service.get("a");
          const before = await service.send("a", edit(`before ${name}`));
          await expect(act(service, revision), name).rejects.toMatchObject({
            code: "revision_conflict",
            details: { revision: revision + 1 },
          });
          expect(await service.get("a"), name).toEqual(before);
          expect((await service.list()).total, name).toBe(
            name === "delete" ? 2 : name === "rewind" ? 2 : 1,
          );
          await act(service, revision + 1);
        }
        await expect(service.get("a")).rejects.toMatchObject({ code: "loop_not_found" });
      }));

    it("lets one of many writers win", () =>
      withService(async ({ service, make }) => {
        await make({ id: "a" });
        const sends = Array.from({ length: 8 }, (_, n) =>
          service.send("a", edit(`${n}`), { revision: 1 }),
        );
        const done = await Promise.allSettled(sends);
        expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        expect((await service.get("a")).revision).toBe(2);
      }));

    it("never deletes a change that was acknowledged", () =>
      withService(async ({ service, make }) => {
        for (let pair = 0; pair < PAIRS; pair++) {
          const id = `loop-${pair}`;
          await make({ id });
          const [edited, deleted] = await Promise.all([
            codeOf(service.send(id, edit("kept"))),
            codeOf(service.delete(id, { revision: 1 })),
          ]);
          if (edited === "none") {
            expect(deleted).toBe("revision_conflict");
            expect((await service.get(id)).notes).toBe("kept");
          } else expect([edited, deleted]).toEqual(["loop_not_found", "none"]);
        }
      }));

    it("adds tasks to no other state", () =>
      withService(async (bench) => {
        const { service, make } = bench;
        await makeIssue(bench.cwd, { id: "ISS-1" }, [{ tasks: [{ title: "fix it" }] }]);
        for (let pair = 0; pair < PAIRS; pair++) {
          const id = `loop-${pair}`;
          await make({ id });
          const [edited, imported] = await Promise.all([
            service.send(id, edit("kept")),
            codeOf(service.importTasks(id, "ISS-1", { revision: 1 })),
          ]);
          expect(imported).toBe(edited.revision === 2 ? "revision_conflict" : "none");
          expect(await service.tasks(id)).toHaveLength(imported === "none" ? 1 : 0);
        }
      }));
  });

  describe("a start and a delete at the same moment", () => {
    it("exclude each other", () =>
      withService(async ({ service, make }) => {
        for (let pair = 0; pair < PAIRS; pair++) {
          const id = `loop-${pair}`;
          await make({ id });
          const [deleted, started] = await Promise.all([
            codeOf(service.delete(id)),
            later(pair % 10, () => codeOf(service.send(id, { type: "start" }))),
          ]);
          if (started === "none") {
            expect(deleted).toBe("invalid_transition");
            expect((await service.get(id)).status).toBe("running");
          } else expect([deleted, started]).toEqual(["none", "loop_not_found"]);
        }
      }));
  });
}

/** Begins the work so many turns of the event loop later: the other one is somewhere in its middle then. */
async function later<T>(turns: number, work: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  return work();
}

const never = new AbortController().signal;

async function first(items: AsyncIterable<unknown>): Promise<unknown> {
  for await (const item of items) return item;
  return undefined;
}

const UNSAFE = ["", "..", "../x", "a/b", "a%2fb", "con", "a b", "é", "x".repeat(129)];

/** Everything that is asked of one loop. */
const ASKED: Record<string, (service: LoopService, id: string) => Promise<unknown>> = {
  get: (service, id) => service.get(id),
  tasks: (service, id) => service.tasks(id),
  why: (service, id) => service.why(id),
  send: (service, id) => service.send(id, { type: "start" }),
  delete: (service, id) => service.delete(id),
  events: (service, id) => first(service.events(id)),
  activity: (service, id) => first(service.activity(id)),
  watch: (service, id) => first(service.watch(id, { after: 0, signal: never })),
  run: (service, id) => service.run(id),
  recover: (service, id) => service.recover(id, { dryRun: true }),
  timeline: (service, id) => service.timeline(id),
  diff: (service, id) => service.diff(id),
  rewind: (service, id) => service.rewind(id, 0),
  fork: (service, id) => service.fork(id, 0),
  receipt: (service, id) => service.receipt(id),
  verify: (service, id) => service.verify(id),
};

export function describeRefusedIds(withService: WithService): void {
  describe.each(Object.entries(ASKED))("%s", (_name, ask) => {
    it("tells of a loop that is not there", () =>
      withService(async ({ service }) => {
        await expect(ask(service, "gone")).rejects.toMatchObject({
          name: "LoopError",
          code: "loop_not_found",
          message: expect.stringContaining("gone"),
        });
      }));

    it("refuses an unsafe id before it touches anything", () =>
      withService(async ({ service }) => {
        for (const id of UNSAFE) {
          await expect(ask(service, id), id).rejects.toMatchObject({ code: "invalid_id" });
        }
      }));
  });
}
