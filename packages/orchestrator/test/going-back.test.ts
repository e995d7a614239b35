import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

  test("refuses to drop work that the loop did not do, unless told", async () => {
    const { b, id } = await finished();
    writeFileSync(join(b.dir, "mine.js"), "mine");
    await expect(b.service.rewind(id, 1)).rejects.toMatchObject({
      code: "workspace_changed",
      details: { paths: ["mine.js"] },
    });
    expect(file(b.dir, "b.js")).toBe("2");
    await b.service.rewind(id, 1, { force: true });
    expect(() => file(b.dir, "mine.js")).toThrow("ENOENT");
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
