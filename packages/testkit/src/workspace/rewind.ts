import { chmod, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../temp-folders.ts";
import { textsOf } from "./checkpoints.ts";
import type { WithPlace } from "./harness.ts";

/** Comparing checkpoints line by line, and going back to one. */
export function describeRewind(withPlace: WithPlace): void {
  test("compares two checkpoints line by line", () =>
    withPlace(async ({ cwd, workspace }) => {
      const at = (path: string) => join(cwd, path);
      await writeFiles(cwd, { "a.txt": "one\ntwo\n", "gone.txt": "gone\n" });
      const { commit: from } = await workspace.checkpoint("loop", 0, "Start");
      await writeFile(at("a.txt"), "one\n2\n3\n");
      await rm(at("gone.txt"));
      await writeFile(at("new.bin"), new Uint8Array([0, 1, 2]));
      const { commit: to } = await workspace.checkpoint("loop", 1, "DEVELOP");
      const { files, patch } = await workspace.diff(from, to);
      expect(files).toEqual([
        { path: "a.txt", kind: "modified", added: 2, removed: 1 },
        { path: "gone.txt", kind: "deleted", added: 0, removed: 1 },
        { path: "new.bin", kind: "added", added: null, removed: null },
      ]);
      expect(patch).toContain("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n");
      expect(patch).toContain("new.bin differ");
      expect(await workspace.diff(to, to)).toEqual({ files: [], patch: "" });
    }));

  test("goes back to any checkpoint, and forth again", () =>
    withPlace(async ({ cwd, workspace, reopened }) => {
      const at = (path: string) => join(cwd, path);
      await writeFiles(cwd, { "a.txt": "one", "sub/deep/b.txt": "two\r\n" });
      const first = await workspace.checkpoint("loop", 0, "Start");
      await writeFile(at("a.txt"), "changed");
      await rm(at("sub"), { recursive: true });
      await writeFiles(cwd, { sub: "now a file", "new/c.txt": "three" });
      const second = await workspace.checkpoint("loop", 1, "DEVELOP");

      const back = await (await reopened()).restore(first.commit);
      expect(back.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
        { path: "a.txt", kind: "modified" },
        { path: "new/c.txt", kind: "deleted" },
        { path: "sub", kind: "deleted" },
        { path: "sub/deep/b.txt", kind: "added" },
      ]);
      expect(await workspace.tree()).toBe(first.tree);
      expect(await readFile(at("sub/deep/b.txt"), "utf8")).toBe("two\r\n");
      expect(await readdir(cwd)).not.toContain("new");
      expect(await workspace.restore(first.commit)).toEqual([]);

      await workspace.restore(second.commit);
      expect(await workspace.tree()).toBe(second.tree);
      expect(await readFile(at("sub"), "utf8")).toBe("now a file");
    }));

  test("leaves alone what is in no checkpoint", () =>
    withPlace(async ({ cwd, workspace }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      const others = ["node_modules/x.js", ".env", ".workflow/.loop/loop.json", "sub/.workflow/x"];
      await writeFiles(cwd, Object.fromEntries(others.map((path) => [path, path])));
      expect(await workspace.restore(commit)).toEqual([]);
      for (const path of others) expect(await readFile(join(cwd, path), "utf8")).toBe(path);
    }));

  test("gives links and the right to run back", () =>
    withPlace(async ({ cwd, workspace }) => {
      const [script, link] = [join(cwd, "run.sh"), join(cwd, "link")];
      await writeFile(script, "true");
      await chmod(script, 0o755);
      await symlink("run.sh", link);
      const first = await workspace.checkpoint("loop", 0, "Start");
      await chmod(script, 0o644);
      await rm(link);
      await writeFile(link, "a file");
      await workspace.restore(first.commit);
      expect(await workspace.tree()).toBe(first.tree);
      expect(await readFile(link, "utf8")).toBe("true");
    }));

  test("gives checkpoints to another loop, which keeps them", () =>
    withPlace(async ({ cwd, workspace }) => {
      const commits: string[] = [];
      for (const n of [0, 1, 2]) {
        await writeFile(join(cwd, "a.txt"), `${n}`);
        const after = commits.at(-1);
        commits.push((await workspace.checkpoint("one", n, "kept", { after })).commit);
      }
      const [start = "", last = ""] = commits;
      await workspace.adopt("two", 1, last);
      await workspace.forget("one");
      expect(textsOf(await workspace.read(start, ["a.txt"]))).toEqual({ "a.txt": "0" });
      expect(textsOf(await workspace.read(last, ["a.txt"]))).toEqual({ "a.txt": "1" });
      await workspace.checkpoint("two", 2, "goes on", { after: last });
    }));

  test("refuses names that are no checkpoint's", () =>
    withPlace(async ({ cwd, workspace, elsewhere }) => {
      await writeFile(join(cwd, "a.txt"), "one");
      const { commit } = await workspace.checkpoint("loop", 0, "Start");
      const refusal = { code: "invalid_input" };
      for (const name of ["", "HEAD", "--help", "0".repeat(40), `files-${"0".repeat(64)}`]) {
        await expect(workspace.diff(name, commit)).rejects.toMatchObject(refusal);
        await expect(workspace.diff(commit, name)).rejects.toMatchObject(refusal);
        await expect(workspace.restore(name)).rejects.toMatchObject(refusal);
        await expect(workspace.adopt("two", 0, name)).rejects.toMatchObject(refusal);
        await expect(workspace.read(name, ["a"])).rejects.toMatchObject(refusal);
        await expect(workspace.checkout(name, elsewhere)).rejects.toMatchObject(refusal);
      }
    }));
}
