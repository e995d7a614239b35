import { appendFile, chmod, mkdir, rename, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { gitWorkspace } from "../src/index.ts";
import { act, edit } from "./edits.ts";
import { fill, place } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const FILES = {
  "src/a.js": "a\n",
  "src/deep/b.js": "b\n",
  "bin/run.sh": "echo\n",
  "docs/.gitignore": "*.tmp\n",
};

const LONG_AGO = new Date("2020-02-02T02:02:02Z");

/** A repository that was measured, so that its tree is remembered. */
async function measured() {
  const cwd = await repositoryWith(FILES);
  await fill(cwd, { "new.js": "new\n", "node_modules/left/index.js": "left\n" });
  await mkdir(join(cwd, "empty/inner"), { recursive: true });
  await utimes(join(cwd, "src/deep/b.js"), LONG_AGO, LONG_AGO);
  const workspace = gitWorkspace(cwd);
  await workspace.tree();
  // What was changed just now is remembered the second time.
  const tree = await workspace.tree();
  return { cwd, workspace, tree };
}

const withoutPrograms = () => vi.stubEnv("PATH", "");

test("what was not changed is known without git", async () => {
  const { workspace, tree } = await measured();
  withoutPrograms();
  expect(await workspace.tree()).toBe(tree);
  // Files that are left out make it another question.
  await expect(workspace.tree(["new.js"])).rejects.toThrow("git is not installed");
});

/** Changes that another program may make at any moment. */
const CHANGES: Record<string, (cwd: string) => Promise<unknown>> = {
  "another content": (cwd) => fill(cwd, { "src/deep/b.js": "c\n" }),
  "another content with the time that it had": async (cwd) => {
    await fill(cwd, { "src/deep/b.js": "c\n" });
    await utimes(join(cwd, "src/deep/b.js"), LONG_AGO, LONG_AGO);
  },
  "another content of a file that nobody added": (cwd) => fill(cwd, { "new.js": "old\n" }),
  "a file that may be run": (cwd) => chmod(join(cwd, "bin/run.sh"), 0o755),
  "a new file": (cwd) => fill(cwd, { "src/c.js": "c\n" }),
  "a new file in a folder that was empty": (cwd) => fill(cwd, { "empty/inner/c.js": "c\n" }),
  "a new folder": (cwd) => fill(cwd, { "other/inner/c.js": "c\n" }),
  "a file that is gone": (cwd) => rm(join(cwd, "src/a.js")),
  "a folder that is gone": (cwd) => rm(join(cwd, "src"), { recursive: true }),
  "another name": (cwd) => rename(join(cwd, "src/a.js"), join(cwd, "src/z.js")),
  "a folder that is a link now": async (cwd) => {
    await rename(join(cwd, "src"), join(cwd, "source"));
    await symlink("source", join(cwd, "src"));
  },
  "a file that is ignored now": (cwd) => appendFile(join(cwd, ".gitignore"), "new.js\n"),
  "a folder that is ignored no more": (cwd) => fill(cwd, { ".gitignore": "nothing\n" }),
  "a rule for one folder": async (cwd) => {
    await fill(cwd, { "docs/page.tmp": "page\n" });
    await fill(cwd, { "docs/.gitignore": "" });
  },
  "a rule of the repository": (cwd) => fill(cwd, { ".git/info/exclude": "new.js\n" }),
  "a rule of the user": (cwd) => userGit(cwd, "config", "core.excludesFile", "docs/.gitignore"),
  "an ignored file that git has now": (cwd) =>
    userGit(cwd, "add", "--force", "node_modules/left/index.js"),
  attributes: (cwd) => fill(cwd, { ".gitattributes": "*.js text eol=crlf\n" }),
  "attributes of the repository": (cwd) => fill(cwd, { ".git/info/attributes": "*.js ident\n" }),
  "line ends that are converted": (cwd) => userGit(cwd, "config", "core.autocrlf", "true"),
  "a repository inside": async (cwd) => {
    await mkdir(join(cwd, "inner"));
    await userGit(join(cwd, "inner"), "init", "-q");
    await userGit(join(cwd, "inner"), "commit", "-q", "--allow-empty", "-m", "one");
  },
};

describe("sees", () => {
  test.for(Object.entries(CHANGES))("%s", async ([, change]) => {
    const { cwd, workspace } = await measured();
    await change(cwd);
    expect(await workspace.tree()).toBe(await gitWorkspace(cwd).tree());
    // And what is changed back.
    await fill(cwd, FILES);
    expect(await workspace.tree()).toBe(await gitWorkspace(cwd).tree());
  });

  test("a rule in the user's home", async () => {
    const home = await place();
    vi.stubEnv("HOME", home);
    const { cwd, workspace, tree } = await measured();
    await fill(home, { ".config/git/ignore": "new.js\n" });
    expect(await workspace.tree()).not.toBe(tree);
    expect(await workspace.tree()).toBe(await gitWorkspace(cwd).tree());
  });

  test("another commit of a repository inside", async () => {
    const { cwd, workspace } = await measured();
    const inner = join(cwd, "inner");
    await mkdir(inner);
    await userGit(inner, "init", "-q");
    await userGit(inner, "commit", "-q", "--allow-empty", "-m", "one");
    const before = await workspace.tree();
    expect(await workspace.tree()).toBe(before);
    await userGit(inner, "commit", "-q", "--allow-empty", "-m", "two");
    expect(await workspace.tree()).not.toBe(before);
  });

  test("everything that is done to a repository", { timeout: 60_000 }, async () => {
    const property = fc.asyncProperty(
      fc.array(edit, { minLength: 1, maxLength: 6 }),
      async (edits) => {
        const cwd = await repositoryWith({ a: "one\n", "d/e": "one\n", "run.sh": "one\n" });
        const workspace = gitWorkspace(cwd);
        for (const one of edits) {
          await act(cwd, one);
          expect(await workspace.tree()).toBe(await gitWorkspace(cwd).tree());
        }
      },
    );
    await fc.assert(property, { numRuns: 12 });
  });
});

test("a tree is measured again when what was kept of it is gone", async () => {
  const { cwd, workspace, tree } = await measured();
  await rm(join(cwd, ".workflow"), { recursive: true });
  expect(await workspace.tree()).toBe(tree);
  await fill(cwd, { "new.js": "old\n" });
  expect(await workspace.changes(tree, await workspace.tree())).toEqual([
    { path: "new.js", kind: "modified" },
  ]);
});

describe("a checkpoint of what was not changed", () => {
  test("is the one before", async () => {
    const { cwd, workspace } = await measured();
    const first = await workspace.checkpoint("loop", 0, "Start");
    expect(await workspace.checkpoint("loop", 1, "VALIDATE", { after: first.commit })).toEqual(
      first,
    );
    await userGit(cwd, "commit", "-q", "--allow-empty", "-m", "by the user");
    const second = await workspace.checkpoint("loop", 1, "VALIDATE", { after: first.commit });
    expect(second.commit).not.toBe(first.commit);
    expect(second.tree).toBe(first.tree);
    const other = await workspace.checkpoint("other", 0, "Start", { after: second.commit });
    expect(other.commit).not.toBe(second.commit);
  });

  test("is made again where that is gone", async () => {
    const { cwd, workspace } = await measured();
    const first = await workspace.checkpoint("loop", 0, "Start");
    for (const ref of ["refs/ccw-loop/loop/0"]) await userGit(cwd, "update-ref", "-d", ref);
    await userGit(cwd, "gc", "-q", "--prune=now");
    const again = await workspace.checkpoint("loop", 1, "DEVELOP", { after: first.commit });
    const read = await workspace.read(again.commit, ["new.js"]);
    expect(Buffer.from(read.get("new.js") ?? []).toString()).toBe("new\n");
    await userGit(cwd, "fsck", "--strict", "--connectivity-only");
  });
});
