import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LoopError, type Workspace, type WorktreeUse } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { folderWorkspace } from "./folder-workspace.ts";
import { bench, plan, project, write } from "./support.ts";
import { testsThat } from "./tests-that.ts";

/** The port over a folder, with worktrees that are empty folders, and what was forgotten. */
function withWorktrees() {
  const made = new Map<string, WorktreeUse>();
  const forgotten: string[] = [];
  const folders = new Map<string, Workspace>();
  const place = project();
  const worktrees: Partial<Workspace> = {
    addWorktree: async (id) => {
      const path = join(place, id);
      mkdirSync(path);
      made.set(id, { id, path, top: path, branch: `ccw-loop/${id}`, bytes: 0, dirty: false });
      return { path, top: path, branch: `ccw-loop/${id}` };
    },
    commitWorktree: async () => null,
    removeWorktree: async (id) => {
      const found = made.get(id);
      if (!found) throw new LoopError("invalid_input", `The loop ${id} has no worktree here.`);
      rmSync(found.path, { recursive: true });
      made.delete(id);
    },
    worktrees: async () => [...made.values()],
    checkout: async (_commit, folder) => folder,
    forget: async (id) => void forgotten.push(id),
  };
  const open = async (dir: string) => {
    const workspace = folders.get(dir) ?? { ...folderWorkspace(dir), ...worktrees };
    folders.set(dir, workspace);
    return workspace;
  };
  return { open, worktrees, made, forgotten };
}

async function completed() {
  const workspaces = withWorktrees();
  const b = bench([plan("one"), write("a.js", "1")], testsThat({ x: "passed" }), {
    workspace: workspaces.open,
  });
  const settings = { mode: "auto" as const, flaky_reruns: 0 };
  const { loop_id: id } = await b.service.create({
    description: "Add a flag",
    worktree: true,
    settings,
  });
  expect((await b.service.run(id)).status).toBe("completed");
  return { ...workspaces, b, id };
}

test("a loop whose worktree was cleaned away can be deleted", async () => {
  const { b, id, made } = await completed();
  expect(await b.service.clean()).toMatchObject([{ id, removed: true }]);
  expect(made.size).toBe(0);
  await b.service.delete(id);
  await expect(b.service.get(id)).rejects.toMatchObject({ code: "loop_not_found" });
});

test("a delete that was cut off behind the worktree can be repeated", async () => {
  const { b, id } = await completed();
  const { remove } = b.store;
  b.store.remove = async () => {
    throw new Error("killed");
  };
  await expect(b.service.delete(id)).rejects.toThrow("killed");
  b.store.remove = remove;
  await b.service.delete(id);
  await expect(b.service.get(id)).rejects.toMatchObject({ code: "loop_not_found" });
});

test("a fork without a worktree leaves no checkpoints behind", async () => {
  const { b, id, open, forgotten } = await completed();
  const [workspace] = [await open((await b.service.get(id)).workspace?.path ?? "")];
  workspace.addWorktree = async () => {
    throw new LoopError("invalid_input", "The branch exists already.");
  };
  await expect(b.service.fork(id, 1, { id: "copy" })).rejects.toThrow("The branch exists already.");
  expect(forgotten).toEqual(["copy"]);
});

test("the receipt that a fork begins with is known to it", async () => {
  const { b, id } = await completed();
  const last = (await b.service.get(id)).checkpoints?.at(-1);
  const fork = await b.service.fork(id, last?.n ?? 0);
  const { problems } = await b.service.verify(fork.loop_id);
  expect(problems.filter(({ kind }) => kind === "receipt")).toEqual([]);
});
