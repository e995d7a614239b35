import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../temp-folders.ts";
import type { WithPlace } from "./harness.ts";

const SECRETS = [".aws/config", ".env", ".env.local", ".npmrc", "id_ed25519", "sub/server.pem"];
const NO_SECRETS = [".env.example", "keyboard.ts", "sub/pem.txt"];

export const textsOf = (contents: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries(
    [...contents].map(([path, bytes]) => [path, Buffer.from(bytes).toString("utf8")]),
  );

/** Checkpoints, as far as every workspace has them. */
export function describeCheckpoints(withPlace: WithPlace): void {
  test("keeps what lies there, under the name of the tree", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const first = await workspace.checkpoint("loop", 0, "Start");
      expect(first.tree).toBe(await workspace.tree());
      await writeFile(join(cwd, "a.txt"), "two");
      const second = await workspace.checkpoint("loop", 1, "DEVELOP");
      expect(second.tree).not.toBe(first.tree);
      expect(second.commit).not.toBe(first.commit);
      expect(await workspace.changes(first.tree, second.tree)).toEqual([
        { path: "a.txt", kind: "modified" },
      ]);
    }));

  test("gives contents back, to another process too, as they were", () =>
    withPlace(async ({ cwd, workspace, reopened }) => {
      await writeFiles(cwd, { "a.txt": "one\r\ngrüße\n", "sub/b c.txt": "" });
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      await writeFile(join(cwd, "a.txt"), "two");
      await rm(join(cwd, "sub"), { recursive: true });
      const read = await (await reopened()).read(commit, ["a.txt", "sub/b c.txt", "sub", "none"]);
      expect(textsOf(read)).toEqual({ "a.txt": "one\r\ngrüße\n", "sub/b c.txt": "" });
    }));

  test("keeps a number again beside the earlier one", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const { commit: earlier } = await workspace.checkpoint("loop", 3, "before a crash");
      await writeFile(join(cwd, "a.txt"), "two");
      const { commit } = await workspace.checkpoint("loop", 3, "after it", { after: earlier });
      expect(textsOf(await workspace.read(commit, ["a.txt"]))).toEqual({ "a.txt": "two" });
      expect(textsOf(await workspace.read(earlier, ["a.txt"]))).toEqual({ "a.txt": "one" });
    }));

  test("leaves out secrets, and says so; not what only looks like one", () =>
    withPlace(async ({ cwd, workspace }) => {
      const all = [...SECRETS, ...NO_SECRETS];
      await writeFiles(cwd, Object.fromEntries(all.map((path) => [path, path])));
      const { commit, skipped } = await workspace.checkpoint("loop", 0, "Start");
      expect((await workspace.checkpoint("loop", 1, "again")).tree).toBe(await workspace.tree());
      const reason = "may hold secrets";
      expect(skipped.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
        SECRETS.map((path) => ({ path, reason })),
      );
      const kept = await workspace.read(commit, all);
      expect([...kept.keys()].sort()).toEqual(NO_SECRETS);
    }));

  test("takes any text for a message, and any loop id", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      for (const [n, id] of [
        "loop-v2-20260101T000000-00000000",
        "a.lock",
        "A..b~^:?*[\\ ü",
      ].entries()) {
        const message = `--amend\n\nfixes "all"\0 \u{1F44B}\n\nCCW-Loop-Tree: not this one`;
        const { commit } = await workspace.checkpoint(id, n, message);
        expect(textsOf(await workspace.read(commit, ["a.txt"]))).toEqual({ "a.txt": "one" });
      }
      const { commit } = await workspace.checkpoint("loop", 9, "");
      expect(await workspace.read(commit, [])).toEqual(new Map());
    }));

  test("forgets the checkpoints of a loop, and those of one that has none", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      await workspace.checkpoint("loop", 0, "Start");
      await workspace.forget("loop");
      await workspace.forget("loop");
      await workspace.checkpoint("loop", 0, "Start");
    }));
}

/** What is not a loop's own: files that are left out, and changes that are carried over. */
export function describeLeftOutFiles(
  withPlace: WithPlace,
  { rewinds }: { rewinds: boolean },
): void {
  test("leaves untracked files out of trees and checkpoints", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const before = await workspace.tree();
      await writeFile(join(cwd, "all.log"), "1");
      expect(await workspace.tree()).not.toBe(before);
      expect(await workspace.tree(["all.log", "none"])).toBe(before);
      expect(await workspace.untracked()).toEqual(expect.arrayContaining(["a.txt", "all.log"]));
      const { commit, tree } = await workspace.checkpoint("loop", 0, "Start", {
        without: ["all.log"],
      });
      expect(tree).toBe(before);
      expect(textsOf(await workspace.read(commit, ["a.txt", "all.log"]))).toEqual({
        "a.txt": "one",
      });
    }));

  test("checks out what a checkpoint was made without, whatever became of it since", () =>
    withPlace(async ({ cwd, workspace, elsewhere }) => {
      await writeFiles(cwd, { "a.txt": "one", "all.log": "1" });
      const without = ["all.log"];
      const { commit } = await workspace.checkpoint("loop", 0, "Start", { without });
      await writeFile(join(cwd, "all.log"), "2");
      const room = await workspace.checkout(commit, elsewhere);
      expect(await readFile(join(room.cwd, "a.txt"), "utf8")).toBe("one");
      await expect(readFile(join(room.cwd, "all.log"))).rejects.toThrow("ENOENT");
    }));

  test("does to a tree what differs between two others", () =>
    withPlace(async ({ cwd, workspace }) => {
      const files = async (contents: Readonly<Record<string, string | null>>) => {
        for (const [path, content] of Object.entries(contents)) {
          const file = join(cwd, path);
          await (content === null ? rm(file, { recursive: true }) : writeFile(file, content));
        }
        return workspace.tree();
      };
      const start = await files({ "own.txt": "1", "theirs.txt": "1", "gone.txt": "1", x: "1" });
      const mine = await files({ "own.txt": "2" });
      const theirs = await files({ "theirs.txt": "2", "gone.txt": null, "new.txt": "1" });
      const moved = await workspace.withChanges(start, mine, theirs);
      expect(await workspace.changes(moved, theirs)).toEqual([
        { path: "own.txt", kind: "modified" },
      ]);
      expect((await workspace.changes(start, moved)).map(({ path }) => path)).toEqual([
        ...["gone.txt", "new.txt", "theirs.txt"],
      ]);
      expect(await workspace.withChanges(start, theirs, theirs)).toBe(start);
      expect(await workspace.withChanges(theirs, theirs, mine)).toBe(mine);
      const refusal = { code: "invalid_input" };
      for (const name of ["", "HEAD", "0".repeat(40)]) {
        await expect(workspace.withChanges(name, mine, theirs)).rejects.toMatchObject(refusal);
        await expect(workspace.withChanges(start, mine, name)).rejects.toMatchObject(refusal);
      }
    }));

  test.skipIf(!rewinds)("goes back without touching the files that it is told to leave", () =>
    withPlace(async ({ cwd, workspace }) => {
      const at = (path: string) => join(cwd, path);
      await writeFiles(cwd, { "a.txt": "one", "gone.txt": "one" });
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      await writeFiles(cwd, { "a.txt": "two", "own.txt": "two", "new.txt": "two" });
      await rm(at("gone.txt"));
      const leaves = ["a.txt", "new.txt", "gone.txt"];
      expect(await workspace.restore(commit, leaves)).toEqual([
        { path: "own.txt", kind: "deleted" },
      ]);
      expect(await readFile(at("a.txt"), "utf8")).toBe("two");
      expect(await readFile(at("new.txt"), "utf8")).toBe("two");
      await expect(readFile(at("gone.txt"))).rejects.toThrow("ENOENT");
    }),
  );
}
