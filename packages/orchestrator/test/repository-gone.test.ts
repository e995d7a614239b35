/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { LoopEvent } from "@ccw-loop/core";
import { openWorkspace } from "@ccw-loop/workspace-git";
import { describe, expect, test } from "vitest";
import { afterCommit } from "./interfere.ts";
import { actions, bench, plan, verifierThat, write } from "./support.ts";

const isPlanned = (event: LoopEvent) =>
  event.type === "action.completed" && event.action === "INIT";

/** A loop with checkpoints that was paused behind INIT. */
async function paused({ git }: { git: boolean }) {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"), {
    workspace: openWorkspace,
  });
  if (git) execFileSync("git", ["init", "--quiet"], { cwd: b.dir });
  const id = await b.start();
  afterCommit(b.store, isPlanned, () => b.service.send(id, { type: "pause" }));
  expect((await b.service.run(id)).status).toBe("paused");
  return { ...b, id };
}

describe("a loop whose .git folder is gone", () => {
  const gone = {
    code: "workspace_unavailable",
    message: expect.stringMatching(
      /git repository of \S+ that is gone\. Put its \.git folder back/,
    ),
  };

  test("is paused with the next step, and goes on once the folder is back", async () => {
    const { dir, service, store, id } = await paused({ git: true });
    renameSync(join(dir, ".git"), join(dir, "kept"));
    await expect(service.run(id)).rejects.toMatchObject(gone);
    expect(await service.get(id)).toMatchObject({ status: "paused" });
    expect(await actions(store, id)).toEqual(["INIT"]);
    expect(await store.ownerOf(id)).toBeNull();
    renameSync(join(dir, "kept"), join(dir, ".git"));
    expect(await service.run(id)).toMatchObject({ status: "completed" });
    expect(existsSync(join(dir, "a.js"))).toBe(true);
  });

  test("cannot be compared, rewound or forked, which nobody is told to mend by git init", async () => {
    const { dir, service, id } = await paused({ git: true });
    rmSync(join(dir, ".git"), { recursive: true });
    await expect(service.diff(id, {})).rejects.toMatchObject(gone);
    await expect(service.rewind(id, 0)).rejects.toMatchObject(gone);
    await expect(service.fork(id, 0)).rejects.toMatchObject(gone);
    expect(await service.get(id)).toMatchObject({ status: "paused" });
  });
});

test("a loop without git cannot have a worktree, and is told so", async () => {
  const b = bench([plan("unused")], verifierThat("pass"), { workspace: openWorkspace });
  await expect(b.start({ worktree: true })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(/^Without git no loop can have a worktree/),
  });
  expect((await b.service.list()).total).toBe(0);
});

test("a loop without git goes on although its trees were forgotten", async () => {
  const { dir, service, id } = await paused({ git: false });
  const trees = join(dir, ".workflow/.loop/.trees");
  expect(readdirSync(trees)).not.toEqual([]);
  rmSync(trees, { recursive: true });
  expect(await service.run(id)).toMatchObject({ status: "completed" });
  await expect(service.diff(id, {})).rejects.toThrow("Without git no loop can be compared");
});
