import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ServiceTest, ServiceWith } from "./harness.ts";

/** Loop `a` as it ended: checkpoints 0 (start), 1 (INIT), 2 (DEVELOP) and 3 (VALIDATE). */
async function finished({ service, make }: ServiceTest): Promise<void> {
  await make({ id: "a" });
  expect((await service.run("a")).status).toBe("completed");
}

export function describeRewind(serviceWith: ServiceWith): void {
  const afterwards = (use: (bench: ServiceTest) => Promise<void>) =>
    serviceWith({ git: true, drives: true })(async (bench) => {
      await finished(bench);
      await use(bench);
    });

  describe("a loop that has ended", () => {
    it("tells what each action did, what changed, and whether its receipt stands", () =>
      afterwards(async (bench) => {
        await tellsWhatHappened(bench);
        await provesItself(bench);
      }));

    it("can be forked, and taken back without the work of others", () =>
      afterwards(async (bench) => {
        await forks(bench);
        await goesBack(bench);
      }));
  });

  describe("a loop without checkpoints", () => {
    it("has no difference, and no receipt to verify; one that runs cannot be taken back", () =>
      serviceWith()(async ({ service, make }) => {
        await make({ id: "a" });
        await expect(service.diff("a")).rejects.toMatchObject({ code: "invalid_input" });
        await expect(service.verify("a")).rejects.toMatchObject({ code: "invalid_input" });
        await expect(service.receipt("a")).rejects.toMatchObject({ code: "invalid_input" });
        await service.send("a", { type: "start" });
        await expect(service.rewind("a", 0)).rejects.toMatchObject({
          code: "invalid_transition",
          details: { status: "running" },
        });
      }));
  });
}

async function tellsWhatHappened({ service }: ServiceTest): Promise<void> {
  const timeline = await service.timeline("a");
  expect(timeline.map(({ action, checkpoint, outcome }) => [action, checkpoint, outcome])).toEqual([
    ["INIT", 1, "completed"],
    ["DEVELOP", 2, "completed"],
    ["VALIDATE", 3, "completed"],
    ["COMPLETE", null, "completed"],
  ]);
  expect(timeline[1]?.diffstat).toEqual({ files: 1, added: 1, removed: 0 });
  const all = await service.diff("a");
  expect(all).toMatchObject({ from: 0, to: 3, files: [{ path: "flag.js", kind: "added" }] });
  expect(all.patch).toContain("+1");
  expect(await service.diff("a", { from: 2 })).toMatchObject({ from: 2, to: 3, files: [] });
  expect(await service.diff("a", { from: 1, to: 2 })).toMatchObject({ files: all.files });
  await expect(service.diff("a", { to: 9 })).rejects.toMatchObject({ code: "invalid_input" });
}

async function provesItself({ service, cwd }: ServiceTest): Promise<void> {
  expect(await service.receipt("a")).toMatchObject({ loop_id: "a", seal: expect.any(String) });
  const check = await service.verify("a");
  expect(check).toMatchObject({ result: "stands", problems: [] });
  expect(check.receipt).toEqual((await service.get("a")).receipts?.at(-1));
  expect(check.square?.cells.present).toMatchObject({ exit_code: 0, counts: { total: 1 } });
  await writeFile(join(cwd, "flag.js"), "2");
  expect(await service.verify("a")).toMatchObject({
    result: "falls",
    problems: [{ kind: "tree", details: ["modified: flag.js"] }],
  });
}

async function forks({ service }: ServiceTest): Promise<void> {
  const fork = await service.fork("a", 2, { id: "b", title: "Another way" });
  expect(fork).toMatchObject({ loop_id: "b", title: "Another way", status: "paused" });
  const { path = "" } = fork.workspace ?? {};
  expect(await readFile(join(path, "flag.js"), "utf8")).toBe("1");
  await expect(service.fork("a", 2, { id: "b" })).rejects.toMatchObject({ code: "loop_exists" });
  await expect(service.rewind("b", 0)).rejects.toMatchObject({ code: "invalid_input" });
  expect((await service.rewind("b", 2)).state).toMatchObject({ loop_id: "b", status: "paused" });
  await service.send("b", { type: "stop" });
  const kept = { id: "b", path, status: "failed", removed: false, dirty: true };
  expect(await service.clean({ dryRun: true })).toMatchObject([kept]);
  expect(await service.clean()).toMatchObject([
    { ...kept, reason: expect.stringMatching("--force") },
  ]);
  expect(await service.clean({ force: true })).toMatchObject([{ id: "b", removed: true }]);
  const made = await service.fork("a", 2, {}, { opId: "k" });
  expect(await service.fork("a", 2, {}, { opId: "k" })).toEqual(made);
}

async function goesBack({ service, cwd }: ServiceTest): Promise<void> {
  await writeFile(join(cwd, "mine.js"), "mine");
  await writeFile(join(cwd, "flag.js"), "mine too");
  await expect(service.rewind("a", 1)).rejects.toMatchObject({
    code: "workspace_changed",
    details: { paths: ["flag.js"] },
  });
  const { state, kept, left } = await service.rewind("a", 1, { force: true });
  expect(state).toMatchObject({ status: "paused" });
  expect(kept).toMatch(/^[0-9a-f]{40}/);
  expect(left).toEqual(["mine.js"]);
  await expect(readFile(join(cwd, "flag.js"))).rejects.toThrow("ENOENT");
  expect(await readFile(join(cwd, "mine.js"), "utf8")).toBe("mine");
  await expect(service.rewind("a", 9)).rejects.toMatchObject({ code: "invalid_input" });
}
