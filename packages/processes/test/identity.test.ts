import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ancestorsOf, isKnownGroup, withDescendants } from "../src/descendants.ts";
import { mayLive, startOf, thisProcess } from "../src/identity.ts";
import {
  inheritedTag,
  newTag,
  ownerKey,
  parseTag,
  TAG_VARIABLE,
  tagsIn,
} from "../src/owner-tag.ts";

describe("whether a process lives", () => {
  const me = thisProcess();

  test("is told by its id, its start and the boot", () => {
    expect(mayLive(me, me)).toBe(true);
    expect(mayLive({ ...me, started: "1" }, me)).toBe(false);
    expect(mayLive({ ...me, boot: "another" }, me)).toBe(false);
    expect(mayLive({ ...me, pid: 2 ** 22 + 1, started: null }, me)).toBe(false);
    expect(mayLive({ ...me, started: null }, me)).toBe(true);
  });

  test("is not judged across containers", () => {
    expect(mayLive({ ...me, namespace: "another", started: "1" }, me)).toBe(true);
  });

  test.runIf(process.platform === "linux")("is left open when too many files are", () => {
    const module = JSON.stringify(fileURLToPath(new URL("../src/identity.ts", import.meta.url)));
    const script = `import { openSync } from "node:fs";
      const { mayLive, thisProcess } = await import(${module});
      const me = thisProcess();
      try { for (;;) openSync("/dev/null"); } catch {}
      console.log(mayLive(me), mayLive({ ...me, boot: "another" }));`;
    const node = ["-c", 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath];
    const { stdout, stderr } = spawnSync("/bin/sh", [...node, script], { encoding: "utf8" });
    expect(stdout, stderr).toBe("true false\n");
  });

  test("a pid that nobody has began at no time", () => {
    expect(startOf(2 ** 22 + 1)).toBeNull();
  });
});

describe("a mark", () => {
  test.each([null, { loop: "loop-v2-20260101T000000-0123abcd", epoch: 12 }])(
    "names its owner, its registry and its scope %j",
    (scope) => {
      const text = newTag("abc123", scope);
      expect(parseTag(text)).toMatchObject({ owner: thisProcess(), registryId: "abc123", scope });
      expect(text.startsWith(ownerKey(thisProcess()))).toBe(true);
      // It goes through environments, TOML and grep.
      expect(text).toMatch(/^[\w.:-]+$/);
    },
  );

  test.each(["", "text", "1.2", ":::", "1.b.x.2:::::u"])("is not %j", (text) => {
    expect(parseTag(text)).toBeNull();
  });

  test("is handed on beside that of an outer owner", () => {
    const value = inheritedTag("inner", { [TAG_VARIABLE]: "outer" });
    expect(tagsIn(`A=1\0${TAG_VARIABLE}=${value}\0B=2\0`)).toEqual(["outer", "inner"]);
    expect(inheritedTag("inner", {})).toBe("inner");
    expect(tagsIn(`NOT_${TAG_VARIABLE}=x\0`)).toEqual([]);
  });
});

describe("kinship", () => {
  const known = { session: 0, terminal: 0, started: "5" };
  const one = (pid: number, parent: number) => ({ ...known, pid, parent, group: pid });
  const all = [one(9, 7), one(7, 3), one(3, 1), one(4, 1), one(1, 0)];

  test("goes down over any number of generations, in any order", () => {
    expect([...withDescendants([3], all)].sort()).toEqual([3, 7, 9]);
  });

  test("goes up to the first process", () => {
    expect([...ancestorsOf(9, all)]).toEqual([9, 7, 3, 1]);
  });

  test("a group is another one when its number was given to somebody else", () => {
    expect(isKnownGroup({ pid: 7, started: "5" }, all)).toBe(true);
    expect(isKnownGroup({ pid: 7, started: "4" }, all)).toBe(false);
    expect(isKnownGroup({ pid: 8, started: "4" }, all)).toBe(true);
  });
});
