import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { containmentOf } from "../../src/containment/places.ts";

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

  it("protects what is there, the repository's own folder too, and hides what is there", async () => {
    await using it = await place();
    await mkdir(join(it.cwd, ".git"));
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
    expect(() => containmentOf(it.spec)).toThrow(
      expect.objectContaining({ code: "unsafe_path", message: expect.stringContaining(".git") }),
    );
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
});
