import { expect, test } from "vitest";
import {
  type DiskCall,
  type DiskFault,
  type FaultableDisk,
  faultByChance,
  faultyDisk,
  seededRandom,
} from "../../src/index.ts";

/** Texts by path: as much of a disk as these tests look at. */
function tinyDisk(files: Map<string, string>): FaultableDisk {
  const later = async () => undefined;
  const write = (path: string, content: string | Buffer) => void files.set(path, String(content));
  return {
    read: (path) => files.get(path) ?? null,
    readBytes: () => Buffer.alloc(0),
    list: () => [...files.keys()],
    listLarge: async () => [...files.keys()],
    makeFolder: () => true,
    write,
    writeDurably: async (path, text) => write(path, text),
    overwriteDurably: async (path, text) => write(path, text),
    writeAt: (path, position, text) =>
      write(path, (files.get(path) ?? "").slice(0, position) + text),
    append: async (path, text) => write(path, (files.get(path) ?? "") + text),
    rename(from, to) {
      files.set(to, files.get(from) ?? "");
      files.delete(from);
    },
    link: (from, to) => void files.set(to, files.get(from) ?? ""),
    replace: () => null,
    copy: (from, to) => void files.set(to, files.get(from) ?? ""),
    remove: (path) => void files.delete(path),
    removeTree: later,
    syncFolder: later,
    syncFile: later,
  };
}

class Died extends Error {}

/** A disk on which the calls after the first `calm` ones go as `fault` says. */
function broken(fault: DiskFault, calm = 0) {
  const files = new Map([["old", "old"]]);
  const calls: DiskCall[] = [];
  let dead = false;
  const judge = (call: DiskCall): DiskFault | null => {
    calls.push(call);
    if (dead) return { kind: "die", done: "nothing", share: 0 };
    return calls.length > calm ? fault : null;
  };
  const disk = faultyDisk(tinyDisk(files), judge, () => {
    dead = true;
    throw new Died();
  });
  return { disk, files, calls };
}

test.each(["ENOSPC", "EIO", "EMFILE", "EACCES", "EROFS"])(
  "any call can fail with %s",
  async (code) => {
    const { disk, files, calls } = broken({ kind: "fail", code });
    expect(() => disk.read("old")).toThrow(expect.objectContaining({ code, path: "old" }));
    expect(() => disk.write("new", "text")).toThrow(code);
    expect(() => disk.rename("old", "new")).toThrow(code);
    expect(() => disk.link("old", "new")).toThrow(code);
    await expect(disk.writeDurably("new", "text")).rejects.toMatchObject({ code });
    await expect(disk.syncFolder("folder")).rejects.toMatchObject({ code });
    expect(files).toEqual(new Map([["old", "old"]]));
    expect(calls[2]).toEqual({ name: "rename", path: "new", from: "old" });
  },
);

test("a write can be cut short", async () => {
  const { disk, files } = broken({ kind: "cut", code: "ENOSPC", share: 0.5 });
  expect(() => disk.write("a", "12345678")).toThrow("ENOSPC");
  await expect(disk.writeDurably("b", "12345678")).rejects.toThrow("ENOSPC");
  expect(() => disk.writeAt("old", 1, "12345678")).toThrow("ENOSPC");
  expect(Object.fromEntries(files)).toEqual({ old: "o1234", a: "1234", b: "1234" });
});

test.each([
  { done: "nothing" as const, left: undefined },
  { done: "share" as const, left: "1234" },
  { done: "all" as const, left: "12345678" },
])(
  "a process can die at a call, with $done of it done; later calls reach nothing",
  async ({ done, left }) => {
    const { disk, files } = broken({ kind: "die", done, share: 0.5 }, 1);
    disk.write("before", "text");
    expect(() => disk.write("a", "12345678")).toThrow(Died);
    expect(() => disk.write("later", "text")).toThrow(Died);
    const never = await Promise.race([
      disk.syncFile("a"),
      new Promise((r) => setImmediate(r, "silent")),
    ]);
    expect(never).toBe("silent");
    expect([files.get("before"), files.get("a"), files.has("later")]).toEqual([
      "text",
      left,
      false,
    ]);
  },
);

test("chance is the seed's", () => {
  const faults = (seed: number) => {
    const random = seededRandom(seed);
    const plan = { changing: 0.3, reading: 0.1 };
    const call: DiskCall = { name: "write", path: "a", text: "text" };
    return Array.from({ length: 200 }, () => faultByChance(random, plan, call));
  };
  expect(faults(7)).toEqual(faults(7));
  expect(faults(7)).not.toEqual(faults(8));
  const failed = faults(7).filter((fault) => fault !== null);
  expect(failed.length).toBeGreaterThan(30);
  expect(new Set(failed.map(({ kind }) => kind))).toEqual(new Set(["fail", "cut"]));
});
