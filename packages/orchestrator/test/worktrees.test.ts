import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LoopError, NewTask, type Workspace, type WorktreeUse } from "@ccw-loop/core";
import { folderWorkspace } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { bench, plan, project, write } from "./support.ts";
import { testsThat } from "./tests-that.ts";

const MORE = NewTask.parse({ id: "more", description: "one more" });

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
      const made_at = new Date().toISOString();
      const use = { bytes: 0, dirty: false, made_at };
      made.set(id, { id, path, top: path, branch: `ccw-loop/${id}`, ...use });
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
    checkout: async (_commit, folder) => ({ cwd: folder, top: folder, project: "", linked: [] }),
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
  const settings = { mode: "auto", flaky_reruns: 0, expect: "unchanged" } as const;
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

test("a delete that could not remove the worktree says so, and what is left can be removed", async () => {
  const { b, id, open, made, forgotten } = await completed();
  const workspace = await open(b.dir);
  const { removeWorktree } = workspace;
  workspace.removeWorktree = async () => {
    throw new LoopError("store_unavailable", "The disk is full.");
  };
  await expect(b.service.delete(id)).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringMatching(
      /is deleted, but .* are left: The disk is full\. .*ccw-loop clean/,
    ),
  });
  expect([forgotten, [...made.keys()]]).toEqual([[], [id]]);
  workspace.removeWorktree = removeWorktree;
  await expect(b.service.delete(id)).rejects.toMatchObject({ code: "loop_not_found" });
  expect(forgotten).toEqual([]);
  expect(await b.service.clean({ force: true })).toMatchObject([{ id, removed: true }]);
  expect(forgotten).toEqual([id, `${id}.before-rewind`]);
});

test("a delete that was cut off before the checkpoints can be repeated", async () => {
  const { b, id, open, forgotten } = await completed();
  const workspace = await open(b.dir);
  const { forget } = workspace;
  workspace.forget = async () => {
    throw new LoopError("store_unavailable", "The disk is full.");
  };
  await expect(b.service.delete(id)).rejects.toThrow("is deleted");
  workspace.forget = forget;
  await expect(b.service.delete(id)).rejects.toMatchObject({ code: "loop_not_found" });
  expect(forgotten).toEqual([id, `${id}.before-rewind`]);
});

test("a loop that is started while its worktree is looked at keeps both", async () => {
  const { b, id, open, made, forgotten } = await completed();
  const { worktrees } = await open(b.dir);
  const workspace = await open(b.dir);
  workspace.worktrees = async () => {
    await b.service.send(id, { type: "add_task", task: MORE }).catch(() => undefined);
    await b.service.send(id, { type: "resume", reopen: true }).catch(() => undefined);
    return worktrees();
  };
  await expect(b.service.delete(id)).rejects.toMatchObject({ code: "invalid_transition" });
  expect((await b.service.get(id)).status).toBe("running");
  expect([forgotten, [...made.keys()]]).toEqual([[], [id]]);
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

test("clean leaves the worktree of a loop that somebody drives, whatever its status was", async () => {
  const { b, id, made } = await completed();
  const lease = await b.store.claim(id, "another process", 60_000);
  expect(await b.service.clean()).toMatchObject([
    { id, removed: false, reason: expect.stringContaining("driven by another process") },
  ]);
  await b.store.release(lease);
  expect([...made.keys()]).toEqual([id]);
  const { claim } = b.store;
  b.store.claim = async (...args) => {
    await b.service.send(id, { type: "resume", reopen: true });
    return claim(...args);
  };
  await b.service.send(id, { type: "add_task", task: MORE });
  expect(await b.service.clean()).toMatchObject([
    { id, removed: false, status: "running", reason: "The loop is running." },
  ]);
  expect([...made.keys()]).toEqual([id]);
});

test("a worktree whose loop is still being made stays for a while, unless it is asked for", async () => {
  const { b, id, made, worktrees, forgotten } = await completed();
  await worktrees.addWorktree?.("young", null);
  await worktrees.addWorktree?.("old", null);
  const old = made.get("old");
  if (old) old.made_at = new Date(Date.now() - 11 * 60_000).toISOString();
  const removed = (await b.service.clean()).filter((one) => one.removed);
  expect(removed.map((one) => one.id)).toEqual([id, "old"]);
  expect(forgotten).toEqual(["old", "old.before-rewind"]);
  expect(await b.service.clean({ force: true })).toMatchObject([{ id: "young", removed: true }]);
});

test("a fork that was cut off says how its command can be repeated", async () => {
  const { b, id, made, open, forgotten } = await completed();
  const [workspace] = [await open((await b.service.get(id)).workspace?.path ?? "")];
  const { create } = b.store;
  b.store.create = () => new Promise(() => undefined);
  void b.service.fork(id, 1, { id: "copy" });
  await vi.waitFor(() => expect(made.has("copy")).toBe(true));
  b.store.create = create;
  const add = workspace.addWorktree;
  workspace.addWorktree = async () => {
    throw new LoopError("invalid_input", "The branch ccw-loop/copy exists already.");
  };
  await expect(b.service.fork(id, 1, { id: "copy" })).rejects.toMatchObject({
    code: "loop_exists",
    message: expect.stringContaining("ccw-loop clean --force"),
  });
  expect(forgotten).toEqual([]);
  workspace.addWorktree = add;
  await b.service.clean({ force: true });
  expect((await b.service.fork(id, 1, { id: "copy" })).loop_id).toBe("copy");
});

test("a loop with unsaved files in its worktree is not deleted, and says what to do", async () => {
  const { b, id, made } = await completed();
  const worktree = made.get(id);
  if (worktree) worktree.dirty = true;
  await expect(b.service.delete(id)).rejects.toThrow(
    `drop them with: git worktree remove --force ${worktree?.top}. Then delete the loop again.`,
  );
  expect((await b.service.get(id)).status).toBe("completed");
});

test("a running loop that nobody drives says how it can be rewound", async () => {
  const { b, id } = await completed();
  await b.service.send(id, { type: "add_task", task: MORE });
  await b.service.send(id, { type: "resume", reopen: true });
  await expect(b.service.rewind(id, 1)).rejects.toThrow(
    `Cannot rewind running loop ${id}. Pause it first: ccw-loop pause ${id}`,
  );
  await b.service.send(id, { type: "pause" });
  expect((await b.service.rewind(id, 1)).state.status).toBe("paused");
});
