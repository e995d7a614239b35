import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tempRepo } from "@ccw-loop/testkit";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { codexAgent } from "../src/index.ts";
import { makeFolders, protectedFolders } from "../src/launch/project-folders.ts";
import { fake } from "./fake.ts";
import { only } from "./harness.ts";

const idle = { signal: new AbortController().signal, timeoutMs: 60_000 };

describe("protected folders on a program that speaks like Codex", {
  timeout: 60_000,
  concurrent: true,
}, () => {
  it("every thread and every command names our profile, the first trial too", async () => {
    await using it = await fake("happy");
    const session = await it.open();
    await session.exec?.("make", idle);
    const commands = (await it.sent()).filter(({ method }) => method === "command/exec");
    expect(commands.map(({ params }) => params?.permissionProfile)).toEqual([
      "ccw-loop",
      "ccw-loop",
    ]);
    expect(commands.at(-1)?.params).not.toHaveProperty("sandboxPolicy");
    expect(only(it.events, "warning.raised")).toEqual([]);
  });

  it("starts Codex once more for the settings that only Codex knows", async () => {
    await using it = await fake("user-settings");
    await it.open();
    const methods = (await it.sent()).map(({ method }) => method);
    expect(methods.filter((method) => method === "initialize")).toHaveLength(2);
    expect(methods.filter((method) => method === "config/read")).toHaveLength(1);
  });

  it("goes on unprotected where an administrator forbids the profile, and says so", async () => {
    await using it = await fake("no-profile");
    const session = await it.open();
    await session.exec?.("make", idle);
    const told = expect.stringMatching(/does not keep the agent.*disallowed by requirements\.$/);
    expect(only(it.events, "warning.raised").map(({ message }) => message)).toEqual([told]);
    const started = (await it.sent()).find(({ method }) => method === "thread/start");
    expect(started?.params).toMatchObject({ sandbox: "workspace-write" });
    expect((await it.sent()).at(-1)?.params).toHaveProperty("sandboxPolicy");
    const { ok, notes } = await codexAgent(it.options).check(it.cwd);
    expect(ok).toBe(true);
    expect(notes).toContainEqual(told);
  });

  it("a Codex that takes another profile without a word is not used", async () => {
    await using it = await fake("other-profile");
    await expect(it.open()).rejects.toMatchObject({
      code: "sandbox_unavailable",
      message: expect.stringContaining(":workspace instead of ccw-loop"),
    });
  });
});

describe("which folders are protected", () => {
  let folder = "";

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "ccw-protect-")));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it("those that are named, made where they are missing", async () => {
    const [there, gone] = [join(folder, "keys"), join(folder, "gone")];
    await mkdir(there);
    const found = await protectedFolders(folder, ["a/b/", "./c"], [there, gone]);
    expect(found).toEqual({ inside: ["a/b", "c"], elsewhere: [], hidden: [there] });
    await writeFile(join(folder, "c"), "a file stays one");
    await makeFolders(folder, found);
    expect(await realpath(join(folder, "a/b"))).toBe(join(folder, "a/b"));
  });

  it("in a linked worktree those of the main one besides", async () => {
    await using repo = await tempRepo({ "app/a.txt": "" });
    const linked = join(folder, "linked");
    await repo.git("worktree", "add", "--quiet", linked, "-b", "side");
    const cwd = join(linked, "app");
    expect((await protectedFolders(cwd, [".workflow"])).elsewhere).toEqual([]);
    const ours = join(repo.path, "app/.workflow");
    await mkdir(ours);
    expect((await protectedFolders(cwd, [".workflow"])).elsewhere).toEqual([ours]);
  });

  test.each(["", ".", "..", "../x", "/etc", "a*", "a[1]"])("refuses %j", async (name) => {
    await expect(protectedFolders(folder, [name])).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("refuses a link, which somebody could turn elsewhere", async () => {
    await mkdir(join(folder, "real"));
    await symlink("real", join(folder, ".workflow"));
    await expect(protectedFolders(folder, [".workflow"])).rejects.toMatchObject({
      code: "unsafe_path",
      message: expect.stringContaining(join(folder, ".workflow")),
    });
  });
});
