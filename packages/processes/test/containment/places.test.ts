import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { containmentOf } from "../../src/containment/places.ts";

/** As much of a repository as git needs to take a folder for one. */
async function repository(top: string, folder = join(top, ".git")) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "HEAD"), "ref: refs/heads/main\n");
  return folder;
}

const refused = (words: string) =>
  expect.objectContaining({ code: "unsafe_path", message: expect.stringContaining(words) });

/** A project `p` and a home folder `home` in a temporary folder. */
async function place() {
  const top = await realpath(await mkdtemp(join(tmpdir(), "ccw-contain-")));
  const [cwd, home] = [join(top, "p"), join(top, "home")];
  await mkdir(join(cwd, ".workflow"), { recursive: true });
  await mkdir(home);
  const spec = {
    ...{ cwd, protect: [".workflow"], homes: [join(home, ".mine")], hidden: [join(top, "keys")] },
    ...{ command: ["/bin/sh"], env: { HOME: home, PATH: "/usr/bin" } },
  };
  return {
    ...{ top, cwd, home, spec },
    [Symbol.asyncDispose]: () => rm(top, { recursive: true, force: true }),
  };
}

describe("containmentOf", () => {
  it("makes the first of the program's own folders where none is there, and else none", async () => {
    await using it = await place();
    const [mine, other] = [join(it.home, ".mine"), join(it.home, ".other")];
    expect(containmentOf(it.spec).writable).toEqual([it.cwd, mine]);
    containmentOf({ ...it.spec, homes: [other, mine] });
    expect(existsSync(other)).toBe(false);
  });

  it("makes every folder of the program's own that is said to be one, and tells it without its /", async () => {
    await using it = await place();
    const [mine, other] = [join(it.home, ".mine"), join(it.home, ".cache/other")];
    const cannotBe = join(it.top, "file/folder/");
    await writeFile(join(it.top, "file"), "");
    const spec = { ...it.spec, homes: [mine, `${other}/`, cannotBe] };
    expect(containmentOf(spec).writable).toEqual([it.cwd, other]);
    expect(existsSync(mine)).toBe(false);
  });

  it("lets the program write to a file of its own", async () => {
    await using it = await place();
    const file = join(it.home, ".mine.json");
    await writeFile(file, "{}");
    const { writable, readable } = containmentOf({ ...it.spec, homes: [file] });
    expect([writable, readable]).toEqual([
      [it.cwd, file],
      expect.not.arrayContaining([`${file}/.git`]),
    ]);
  });

  it("protects what is there, the repository's own folder too, and hides what is there", async () => {
    await using it = await place();
    await repository(it.cwd);
    const { readable, hidden } = containmentOf({ ...it.spec, protect: [".workflow", "missing"] });
    expect(readable).toContain(join(it.cwd, ".git"));
    expect(readable).toContain(join(it.cwd, ".workflow"));
    expect(readable).not.toContain(join(it.cwd, "missing"));
    expect(hidden).toEqual([]);
  });

  it("lets nobody write to programs on PATH that lie among its own folders", async () => {
    await using it = await place();
    const programs = join(it.home, ".mine/local/bin");
    await mkdir(programs, { recursive: true });
    const env = { ...it.spec.env, PATH: `${programs}:/usr/bin` };
    expect(containmentOf({ ...it.spec, env }).readable).toContain(programs);
  });

  it("refuses a link in the place of what is to be protected", async () => {
    await using it = await place();
    await mkdir(join(it.top, "repository"));
    await symlink(join(it.top, "repository"), join(it.cwd, ".git"));
    expect(() => containmentOf(it.spec)).toThrow(refused(".git"));
  });

  it("keeps empty what could become a repository", async () => {
    await using it = await place();
    expect(containmentOf(it.spec).hidden).toEqual([join(it.cwd, ".git")]);
    await mkdir(join(it.cwd, ".git"));
    expect(containmentOf(it.spec).hidden).toEqual([join(it.cwd, ".git")]);
  });

  it("protects a git folder that a file names, and the place of each submodule", async () => {
    await using it = await place();
    const bare = await repository(it.top, join(it.cwd, ".bare"));
    await writeFile(join(it.cwd, ".git"), "gitdir: ./.bare\n");
    const module = await repository(it.top, join(bare, "modules/libs/one"));
    await writeFile(join(module, "config"), "[core]\n\tworktree = ../../../../libs/one\n");
    await mkdir(join(it.cwd, "libs/one"), { recursive: true });
    await writeFile(join(it.cwd, "libs/one/.git"), "gitdir: ../../.bare/modules/libs/one\n");
    const { readable, hidden } = containmentOf(it.spec);
    expect(readable).toEqual(
      expect.arrayContaining([join(it.cwd, ".git"), bare, join(it.cwd, "libs/one/.git")]),
    );
    expect(hidden).toEqual([]);
  });

  it("protects the same in the program's own folders, and in the main working tree there", async () => {
    await using it = await place();
    const mine = join(it.home, ".mine");
    const main = join(mine, "plugins/main");
    await repository(mine);
    const git = await repository(main);
    const own = await repository(main, join(git, "worktrees/a"));
    await writeFile(join(own, "commondir"), "../..\n");
    await writeFile(join(it.cwd, ".git"), `gitdir: ${own}\n`);
    await mkdir(join(main, ".workflow"));
    expect(containmentOf(it.spec).readable).toEqual(
      expect.arrayContaining([join(mine, ".git"), git, own, join(main, ".workflow")]),
    );
  });

  it("refuses a folder of its own behind a link that it could have made", async () => {
    await using it = await place();
    await mkdir(join(it.home, ".mine"));
    const secrets = join(it.home, ".ssh");
    await mkdir(secrets);
    await symlink(secrets, join(it.cwd, "turned"));
    await symlink(join(it.cwd, "turned"), join(it.home, ".other"));
    for (const link of [join(it.cwd, "turned"), join(it.home, ".other")]) {
      const spec = { ...it.spec, homes: [...it.spec.homes, link] };
      expect(() => containmentOf(spec)).toThrow(refused(`${link} lies behind a link`));
    }
    const kept = join(it.home, ".kept");
    await symlink(secrets, kept);
    expect(containmentOf({ ...it.spec, homes: [kept] }).writable).toEqual([it.cwd, secrets]);
  });

  it("refuses a folder of its own that has everything in it", async () => {
    await using it = await place();
    for (const home of [it.home, it.top, "/"]) {
      expect(() => containmentOf({ ...it.spec, homes: [home] })).toThrow(
        refused(`may write to ${home} could`),
      );
    }
    expect(() => containmentOf({ ...it.spec, cwd: "/" })).toThrow(refused("may write to / could"));
  });

  it.runIf(tmpdir() === "/tmp")("shows of a temporary folder what the program needs", async () => {
    await using it = await place();
    const program = join(it.top, "agent/agent.mjs");
    await mkdir(join(it.top, "agent"));
    await writeFile(program, "");
    const { readable, emptied } = containmentOf({ ...it.spec, command: ["/bin/sh", program] });
    expect(emptied).toContain("/tmp");
    expect(readable).toContain(join(it.top, "agent"));
    expect(readable).toContain(it.home);
    expect(readable).not.toContain("/usr/bin");
  });

  it.runIf(tmpdir() === "/tmp")("leaves what it may write to as it is, also in there", async () => {
    await using it = await place();
    const programs = join(it.cwd, "node_modules/.bin");
    await mkdir(programs, { recursive: true });
    await writeFile(join(programs, "agent"), "");
    const command = [join(programs, "agent")];
    const env = { ...it.spec.env, PATH: `${programs}:/usr/bin` };
    expect(containmentOf({ ...it.spec, command, env }).readable).not.toContain(programs);
  });

  it.runIf(tmpdir() === "/tmp")("shows the repository of a working tree in there", async () => {
    await using it = await place();
    const git = await repository(join(it.top, "main"));
    const own = await repository(it.top, join(git, "worktrees/a"));
    await writeFile(join(own, "commondir"), "../..\n");
    await writeFile(join(it.cwd, ".git"), `gitdir: ${own}\n`);
    expect(containmentOf(it.spec).readable).toEqual(expect.arrayContaining([git, own]));
  });
});
