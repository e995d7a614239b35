import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { isLoopError, type LoopClone, type LoopRepository } from "@ccw-loop/core";
import { gitServer } from "@ccw-loop/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { gitRepositories } from "../src/index.ts";
import { place } from "./place.ts";
import { repositoryWith, userGit } from "./repository.ts";

/** A bare repository `shop.git` with one commit on `main`, and who asks for it. */
async function served(options: { credentials?: string } = {}) {
  const work = await repositoryWith({ "a.txt": "one\n", "b.txt": "two\n" });
  const root = await place({});
  const bare = join(root, "shop.git");
  await userGit(root, "clone", "-q", "--bare", work, bare);
  const server = await gitServer({ root, ...options });
  onTestFinished(() => server.stop());
  const http: LoopRepository = { url: `${server.url}/shop.git` };
  return { work, bare, server, http, file: { url: `file://${bare}` }, refs: () => refsOf(bare) };
}

async function refsOf(bare: string): Promise<Record<string, string>> {
  const lines = await userGit(bare, "for-each-ref", "--format=%(refname) %(objectname)");
  const pairs = lines.trim().split("\n");
  return Object.fromEntries(pairs.map((line) => line.split(" ") as [string, string]));
}

/** A machine: a folder of clones that no other one has. */
const machine = async () => gitRepositories({ cache: join(await place({}), "cache") });

async function cloned(
  repositories: Awaited<ReturnType<typeof machine>>,
  repository: LoopRepository,
) {
  const { path } = await repositories.clone("a", repository, null);
  const clone: LoopClone = { id: "a", repository, path };
  return { ...clone, workspace: await repositories.workspace(clone) };
}

async function failure(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isLoopError(error)) throw new Error(`no LoopError: ${String(error)}`);
  // Wherever it is shown.
  expect(JSON.stringify([error.message, error.details])).not.toContain("s3cret");
  return { code: error.code, message: error.message };
}

const read = (folder: string, file: string) => readFileSync(join(folder, file), "utf8");

test.for(["http", "file"] as const)(
  "what one machine keeps, another one goes on from (%s)",
  async (kind) => {
    const here = await served();
    const repository = here[kind];
    const first = await machine();
    const { path, workspace } = await cloned(first, repository);
    expect(read(path, "a.txt")).toBe("one\n");
    expect((await userGit(path, "status", "--short", "--branch")).trim()).toBe("## ccw-loop/a");
    const start = await workspace.checkpoint("a", 0, "start");
    writeFileSync(join(path, "a.txt"), "changed\n");
    writeFileSync(join(path, "new.txt"), "new\n");
    const next = await workspace.checkpoint("a", 1, "DEVELOP", { after: start.commit });
    expect(await here.refs()).toMatchObject({
      "refs/ccw-loop/a/0": start.commit,
      "refs/ccw-loop/a/1": next.commit,
    });

    const second = await machine();
    const from = { start: start.commit, newest: next.commit };
    const moved = await second.clone("a", repository, from);
    const clone = { id: "a", repository, path: moved.path };
    expect(await first.isHere(clone)).toBe(false);
    expect(await second.isHere(clone)).toBe(true);
    expect(read(moved.path, "a.txt")).toBe("one\n");
    const there = await second.workspace(clone);
    expect(await there.tree()).toBe(start.tree);
    await there.restore(next.commit);
    expect(await there.tree()).toBe(next.tree);
    expect(read(moved.path, "new.txt")).toBe("new\n");
    writeFileSync(join(moved.path, "b.txt"), "more\n");
    const last = await there.checkpoint("a", 2, "VALIDATE", { after: next.commit });
    expect(await here.refs()).toMatchObject({ "refs/ccw-loop/a/2": last.commit });
  },
);

test("the end is a branch of the server; an owner that repeats it, and one that goes on, add to it", async () => {
  const { http, bare, refs } = await served();
  const first = await machine();
  const one = await cloned(first, http);
  const start = await one.workspace.checkpoint("a", 0, "start");
  writeFileSync(join(one.path, "a.txt"), "done\n");
  const end = await one.workspace.checkpoint("a", 1, "end", { after: start.commit });
  await one.workspace.commitWorktree("a", "Do it");
  const pushed = (await refs())["refs/heads/ccw-loop/a"] ?? "";
  expect((await userGit(bare, "show", "-s", "--format=%s", pushed)).trim()).toBe("Do it");
  expect(await userGit(bare, "show", `${pushed}:a.txt`)).toBe("done\n");
  // It was killed before it could record that.
  const second = await machine();
  const moved = await second.clone("a", http, { start: start.commit, newest: end.commit });
  const workspace = await second.workspace({ id: "a", repository: http, path: moved.path });
  await workspace.restore(end.commit);
  await workspace.commitWorktree("a", "Do it");
  writeFileSync(join(moved.path, "b.txt"), "more\n");
  await workspace.commitWorktree("a", "Do more");
  const tip = (await refs())["refs/heads/ccw-loop/a"] ?? "";
  expect(await userGit(bare, "show", `${tip}:b.txt`)).toBe("more\n");
  expect(await userGit(bare, "merge-base", tip, pushed)).toBe(`${pushed}\n`);
});

test("a ref that another owner pushed is never moved", async () => {
  const { http, refs } = await served();
  const [one, two] = [await cloned(await machine(), http), await cloned(await machine(), http)];
  const first = await one.workspace.checkpoint("a", 0, "start");
  writeFileSync(join(two.path, "a.txt"), "another\n");
  const other = await two.workspace.checkpoint("a", 0, "start");
  expect(await refs()).toMatchObject({
    "refs/ccw-loop/a/0": first.commit,
    "refs/ccw-loop/a/0.1": other.commit,
  });
});

test("while the server is away nothing is named; the same checkpoint is pushed when it is back", {
  tags: ["slow"],
}, async () => {
  const { http, server, refs } = await served();
  const repositories = await machine();
  const { path, workspace } = await cloned(repositories, http);
  const start = await workspace.checkpoint("a", 0, "start");
  writeFileSync(join(path, "a.txt"), "changed\n");
  await server.stop();
  const keep = () => workspace.checkpoint("a", 1, "DEVELOP", { after: start.commit });
  const away = await failure(keep());
  expect(away.code).toBe("repository_unavailable");
  expect(away.message).toContain(http.url);
  expect((await failure(keep())).code).toBe("repository_unavailable");
  expect((await failure(repositories.reach(http))).code).toBe("repository_unavailable");
  await server.start();
  const kept = await keep();
  expect((await refs())["refs/ccw-loop/a/1"]).toBe(kept.commit);
  // However often it was tried, it was kept once.
  const local = await userGit(path, "for-each-ref", "--format=%(refname)", "refs/ccw-loop/a");
  expect(local.trim().split("\n")).toEqual(["refs/ccw-loop/a/0", "refs/ccw-loop/a/1"]);
});

test("what a person has to mend is said, with the address and without any secret", {
  tags: ["slow"],
}, async () => {
  const open = await served();
  const closed = await served({ credentials: "me:s3cret" });
  const repositories = await machine();
  const refusals: [LoopRepository, RegExp][] = [
    [{ ...open.http, ref: "nowhere" }, /no branch, tag or commit named nowhere/],
    [{ url: `${open.server.url}/none.git` }, /none\.git.*not found/],
    [{ url: "file:///nowhere/at/all.git" }, /does not (exist|appear)/],
    [closed.http, /could not read Username/],
  ];
  for (const [repository, words] of refusals) {
    const { code, message } = await failure(repositories.clone("a", repository, null));
    expect([code, message]).toEqual(["repository_refused", expect.stringMatching(words)]);
    expect(message).toContain(repository.url);
  }
});

test("credentials come from the operator's own configuration, and stay out of the clone", {
  tags: ["slow"],
}, async () => {
  const { http } = await served({ credentials: "me:s3cret" });
  const home = await place({
    ".gitconfig": `[url "${http.url.replace("//", "//me:s3cret@")}"]\n\tinsteadOf = ${http.url}\n`,
  });
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { path, workspace } = await cloned(await machine(), http);
  await workspace.checkpoint("a", 0, "start");
  for (const file of ["config", "FETCH_HEAD"].filter((name) =>
    readdirSync(join(path, ".git")).includes(name),
  ))
    expect(read(path, join(".git", file))).not.toContain("s3cret");
  const broken = { url: http.url.replace("shop", "none") };
  expect((await failure((await machine()).clone("a", broken, null))).code).toBe(
    "repository_refused",
  );
});

test("a push that the server's hook rejects is told with what the hook says", async () => {
  const { file, bare } = await served();
  const { workspace } = await cloned(await machine(), file);
  await mkdir(join(bare, "hooks"), { recursive: true });
  const hook = join(bare, "hooks", "pre-receive");
  writeFileSync(hook, "#!/bin/sh\necho 'no refs of robots' >&2\nexit 1\n");
  chmodSync(hook, 0o755);
  const { code, message } = await failure(workspace.checkpoint("a", 0, "start"));
  expect(code).toBe("repository_refused");
  expect(message).toContain("no refs of robots");
  expect(message).toContain("refs/ccw-loop/a/0");
});

test("nothing that an agent writes into its clone is run when its work is pushed", async () => {
  const { http, refs } = await served();
  const { path, workspace } = await cloned(await machine(), http);
  const trace = join(await place({}), "ran");
  const run = `touch ${trace}; false`;
  for (const [key, value] of [
    ["core.sshCommand", run],
    ["credential.helper", `!${run}`],
    ["core.hooksPath", join(path, "hooks")],
    ["url.ext::sh -c touch% x.insteadOf", http.url],
    ["remote.origin.pushurl", `ext::sh -c "${run}"`],
    ["gc.auto", "1"],
  ])
    await userGit(path, "config", key ?? "", value ?? "");
  await mkdir(join(path, "hooks"));
  writeFileSync(join(path, "hooks", "pre-push"), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
  const kept = await workspace.checkpoint("a", 0, "start");
  await workspace.commitWorktree("a", "Do it");
  expect((await refs())["refs/ccw-loop/a/0"]).toBe(kept.commit);
  expect(readdirSync(join(trace, ".."))).not.toContain("ran");
});

test("documents go where the agent reads them, in the place of a link and not through it", async () => {
  const { file } = await served();
  const repositories = await machine();
  const { workspace: _, ...clone } = await cloned(repositories, file);
  const folder = await repositories.publish(clone, { "develop.md": "one" });
  const elsewhere = join(await place({ kept: "theirs" }), "kept");
  await rename(join(folder, "develop.md"), join(folder, "old.md"));
  symlinkSync(elsewhere, join(folder, "develop.md"));
  await repositories.publish(clone, { "develop.md": "two" });
  expect(read(folder, "develop.md")).toBe("two");
  expect(readFileSync(elsewhere, "utf8")).toBe("theirs");
  expect((await userGit(clone.path, "status", "--short")).trim()).toBe("");
});

test("two processes make the same mirror at the same moment", { tags: ["slow"] }, async () => {
  const { http } = await served();
  const cache = join(await place({}), "cache");
  const many = Array.from({ length: 4 }, () => gitRepositories({ cache }));
  const clones = await Promise.all(many.map((one, n) => one.clone(`a${n}`, http, null)));
  expect(new Set(clones.map(({ path }) => read(path, "a.txt")))).toEqual(new Set(["one\n"]));
  expect(readdirSync(join(cache, "mirrors"))).toHaveLength(1);
});
