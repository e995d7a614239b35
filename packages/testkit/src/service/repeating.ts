import { describe, expect, it } from "vitest";
import type { WithService } from "./harness.ts";

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
