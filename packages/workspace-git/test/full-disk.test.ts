import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { gitFailure, unwritable } from "../src/git/errors.ts";
import { gitWorkspace } from "../src/index.ts";
import { fill, place } from "./place.ts";
import { makeRepository, userGit } from "./repository.ts";

const full = {
  code: "store_unavailable",
  message: expect.stringMatching(/disk is full|quota is used up/),
};
const run = promisify(execFile);

/** A disk of 2 MB; null where nobody may mount one. */
async function smallDisk(): Promise<string | null> {
  const cwd = await place();
  const mounting = run("mount", ["-t", "tmpfs", "-o", "size=2m", "none", cwd]);
  if ((await mounting.catch(() => null)) === null) return null;
  onTestFinished(async () => {
    await run("umount", ["--lazy", cwd]);
  });
  return cwd;
}

describe("a disk that is full", () => {
  test("keeps nothing of a checkpoint, and says so", async ({ skip }) => {
    const cwd = await smallDisk();
    if (cwd === null) return skip("Only root may mount a disk.");
    await makeRepository(cwd);
    const workspace = gitWorkspace(cwd);
    await fill(cwd, { "a.txt": "one" });
    const { commit } = await workspace.checkpoint("loop", 0, "Start");
    await writeFile(join(cwd, "a.txt"), "two");
    await writeFile(join(cwd, "large.bin"), randomBytes(1_200_000));
    await expect(workspace.checkpoint("loop", 1, "DEVELOP")).rejects.toMatchObject(full);
    expect(await userGit(cwd, "for-each-ref", "--format=%(refname)", "refs/ccw-loop")).toBe(
      "refs/ccw-loop/loop/0\n",
    );
    const objects = await readdir(join(cwd, ".git/objects"), { recursive: true });
    expect(objects.filter((name) => name.includes("tmp"))).toEqual([]);

    await rm(join(cwd, "large.bin"));
    await workspace.restore(commit);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one");
  });

  test.each([
    "error: unable to write loose object file: No space left on device\nfatal: Unable to process path a",
    "fatal: unable to write loose object file: Disk quota exceeded",
  ])("is known by what git says: %s", (stderr) => {
    expect(gitFailure(["update-index"], "/project", { exitCode: 128, stderr })).toMatchObject(full);
  });

  test.each(["ENOSPC", "EDQUOT"])("is known by %s", (code) => {
    const error = Object.assign(new Error("write"), { code });
    expect(unwritable(error, Buffer.from("/project/a"))).toMatchObject(full);
  });
});

test.each([
  "error: insufficient permission for adding an object to repository database .git/objects",
  "fatal: Unable to create '/project/.git/refs/x.lock': Read-only file system",
])("a repository that cannot be written is known by what git says: %s", (stderr) => {
  expect(gitFailure(["update-ref"], "/project", { exitCode: 128, stderr })).toMatchObject({
    code: "store_unavailable",
    message: expect.stringMatching(/Give this user access|Mount it writable/),
  });
});
