import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
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
      await mkdir(join(cwd, "sub"));
      await writeFile(join(cwd, "a.txt"), "one\r\ngrüße\n");
      await writeFile(join(cwd, "sub/b c.txt"), "");
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
      for (const path of [...SECRETS, ...NO_SECRETS]) {
        await mkdir(join(cwd, path, ".."), { recursive: true });
        await writeFile(join(cwd, path), path);
      }
      const { commit, skipped } = await workspace.checkpoint("loop", 0, "Start");
      expect((await workspace.checkpoint("loop", 1, "again")).tree).toBe(await workspace.tree());
      const reason = "may hold secrets";
      expect(skipped.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
        SECRETS.map((path) => ({ path, reason })),
      );
      const kept = await workspace.read(commit, [...SECRETS, ...NO_SECRETS]);
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

  test("refuses names that are no checkpoint's", () =>
    withPlace(async ({ workspace, elsewhere }) => {
      const refusal = { code: "invalid_input" };
      for (const name of ["", "HEAD", "--help", "0".repeat(40), `files-${"0".repeat(64)}`]) {
        await expect(workspace.read(name, ["a"])).rejects.toMatchObject(refusal);
        await expect(workspace.checkout(name, elsewhere)).rejects.toMatchObject(refusal);
      }
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
