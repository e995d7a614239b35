import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findBubblewrap, runContained } from "../../src/containment/bubblewrap.ts";
import { holdPlaces } from "../../src/containment/empty-places.ts";
import { containmentOf } from "../../src/containment/places.ts";
import { attemptsOf, tryContainment } from "../../src/containment/trial.ts";

/** A project with a program's own folder, in which there is one with programs that are started by name; and a key. */
async function place() {
  const top = await realpath(await mkdtemp(join(tmpdir(), "ccw-trial-")));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const [cwd, home, keys] = [join(top, "p"), join(top, "home"), join(top, "home/keys")];
  for (const folder of [join(cwd, ".git"), join(home, ".mine/local/bin"), keys]) {
    await mkdir(folder, { recursive: true });
  }
  await writeFile(join(keys, "key"), "secret");
  const env = { ...process.env, HOME: home, PATH: `${home}/.mine/local/bin:${process.env.PATH}` };
  const homes = [join(home, ".mine")];
  const spec = { cwd, protect: [], homes, hidden: [keys], command: ["/bin/sh"], env };
  return { top, cwd, home, containment: containmentOf(spec) };
}

const found = await findBubblewrap(process.env.PATH ?? "", []);
const bubblewrap = "file" in found ? found.file : "";

describe.runIf(bubblewrap !== "")("a contained program", { timeout: 30_000 }, () => {
  it("does what it may, and fails in everything else", async () => {
    const { cwd, home, containment } = await place();
    const tried = await tryContainment(bubblewrap, containment, attemptsOf(containment));
    expect(tried.filter(({ allowed, succeeded }) => allowed !== succeeded)).toEqual([]);
    const places = (allowed: boolean) =>
      tried.filter((one) => one.allowed === allowed).map(({ what, target }) => `${what} ${target}`);
    expect(places(true)).toEqual([`write ${cwd}`, `write ${home}/.mine`]);
    expect(places(false)).toEqual(
      expect.arrayContaining([
        ...[`write ${cwd}/.git`, `write ${home}/.mine/local/bin`, `write ${home}/keys`],
        ...[`read ${home}/keys/key`, `signal ${process.pid}`],
      ]),
    );
  });

  it("cannot move a folder away to put other programs in its place", async () => {
    const { home, containment } = await place();
    const script = `mv ${home}/.mine/local ${home}/.mine/old && echo moved; ls ${home}/.mine`;
    const said = await runContained(bubblewrap, containment, ["/bin/sh", "-c", script]);
    expect(said).toBe("local\n");
  });

  it("makes no repository, and leaves no trace of that", async () => {
    const { cwd, containment } = await place();
    const [git, hidden] = [join(cwd, ".git"), [join(cwd, ".git")]];
    await rm(git, { recursive: true });
    const release = holdPlaces({ ...containment, hidden });
    const again = holdPlaces({ ...containment, hidden });
    const script = `echo x > ${git}/config || echo no; rmdir ${git} || mv ${git} ${cwd}/old || echo no`;
    const command = ["/bin/sh", "-c", script];
    expect(await runContained(bubblewrap, { ...containment, hidden }, command)).toBe("no\nno\n");
    await release();
    expect(existsSync(git)).toBe(true);
    await again();
    expect(existsSync(git)).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)("sets no parameter of the kernel, as root too", async () => {
    const { containment } = await place();
    const script = `find /proc/sys -type f -perm -200 | while read -r file; do ( : >> "$file" ) && echo "$file"; done; true`;
    expect(await runContained(bubblewrap, containment, ["/bin/sh", "-c", script])).toBe("");
  });

  it("makes sandboxes of its own where it nests, and reaches no more by them, as root too", async () => {
    const { cwd, home, containment } = await place();
    const within = [bubblewrap, "--unshare-user", "--bind", "/", "/", "/bin/sh", "-c"];
    const script = `echo x > ${cwd}/mine && for place in ${cwd}/.git ${home}; do ( : > $place/theirs ) || echo no; done`;
    const nesting = { ...containment, nests: true };
    expect(await runContained(bubblewrap, nesting, [...within, script])).toBe("no\nno\n");
    expect(existsSync(join(cwd, "mine"))).toBe(true);
    const tried = await tryContainment(bubblewrap, nesting, attemptsOf(nesting));
    expect(tried.filter(({ allowed, succeeded }) => allowed !== succeeded)).toEqual([]);
  });
});
