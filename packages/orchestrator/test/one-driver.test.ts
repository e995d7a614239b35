/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isLoopError, type LoopEvent, type LoopState, type LoopStore } from "@ccw-loop/core";
import { memoryStore, tempRepo } from "@ccw-loop/testkit";
import { openWorkspace } from "@ccw-loop/workspace-git";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type LoopServiceOptions, loopService, systemClock } from "../src/index.ts";
import { atTurn, atWork, type HeldAgent, heldAgent } from "./supervising.ts";
import { journal, project, verifierThat } from "./support.ts";

// Every loop here starts dozens of git processes, and there may be few cores.
const PATIENCE = { timeout: 60_000, interval: 10 };
vi.setConfig({ testTimeout: 120_000 });

/** Services on one repository, or on a folder without one; each is what another process would have. */
interface Ground {
  cwd: string;
  agent: HeldAgent;
  store: LoopStore;
  open(changes?: Partial<LoopServiceOptions>): ReturnType<typeof loopService>;
  /** New loops in auto mode. */
  create(...ids: string[]): Promise<void>;
}

async function ground({ git = true } = {}): Promise<Ground> {
  const cwd = git ? await repository() : project();
  const agent = heldAgent();
  const store = memoryStore();
  const open: Ground["open"] = (changes = {}) =>
    loopService({
      store,
      agent: async () => agent,
      verifier: verifierThat("pass"),
      workspace: openWorkspace,
      cwd,
      random: () => 0.5,
      ...changes,
    });
  return {
    cwd,
    agent,
    store,
    open,
    async create(...ids) {
      const settings = { mode: "auto" as const, flaky_reruns: 0, expect: "unchanged" as const };
      for (const id of ids) await open().create({ id, description: id, settings });
    },
  };
}

async function repository(): Promise<string> {
  const { path, remove } = await tempRepo({ "a.js": "1", "sub/b.js": "2" });
  onTestFinished(remove);
  onTestFinished(() => rm(`${path}.worktrees`, { recursive: true, force: true }));
  return path;
}

/** Runs a loop until its agent works; ended with the test. */
async function working({ agent, open }: Ground, id: string, changes = {}) {
  const run = open(changes).run(id);
  run.catch(() => undefined);
  onTestFinished(async () => {
    agent.letGo(id);
    await run.catch(() => undefined);
  });
  await atWorkOn(agent, id, run);
  return { run };
}

/** Until the agent works on a loop; fails at once with what ended the loop's run before that. */
async function atWorkOn(agent: HeldAgent, id: string, run: Promise<LoopState>) {
  const working = vi.waitFor(() => expect([...agent.live]).toContain(id), PATIENCE);
  await Promise.race([working, run.then(() => working)]);
}

const worktreeMade = (events: readonly { event: LoopEvent }[]) =>
  events.flatMap(({ event }) => (event.type === "worktree.made" ? [event] : []));

const filesOf = ({ skill_state }: LoopState) =>
  skill_state?.develop.tasks.flatMap(({ files_changed }) => files_changed);

test("a second loop in a folder gets a worktree of its own, and a fact says where and why", async () => {
  const here = await ground();
  await here.create("a", "b");
  const first = await working(here, "a");
  const second = await working(here, "b");
  const path = `${here.cwd}.worktrees/b`;
  expect((await here.open().get("a")).workspace?.path).toBeUndefined();
  expect((await here.open().get("b")).workspace).toMatchObject({ path, branch: "ccw-loop/b" });
  expect(worktreeMade(await journal(here.store, "b"))).toEqual([
    expect.objectContaining({ path, reason: `loop a works in ${here.cwd}` }),
  ]);
  here.agent.letGo("b");
  await second.run;
  expect(readFileSync(join(path, "work"), "utf8")).toBe("b");
  expect(existsSync(join(here.cwd, "work"))).toBe(false);
  here.agent.letGo("a");
  expect(filesOf(await first.run)).toEqual(["work"]);
  expect(readFileSync(join(here.cwd, "work"), "utf8")).toBe("a");
});

test("a supervisor gives the folder to one of its loops, and the others worktrees", async () => {
  const here = await ground();
  await here.create("a", "b", "c");
  for (const id of ["a", "b", "c"]) await here.open().send(id, { type: "start" });
  atWork(here.open());
  await vi.waitFor(() => expect(here.agent.live.size).toBe(3), PATIENCE);
  const states = await Promise.all(["a", "b", "c"].map((id) => here.open().get(id)));
  const paths = states.map(({ workspace }) => workspace?.path ?? here.cwd);
  expect(new Set(paths).size).toBe(3);
  expect(paths).toContain(here.cwd);
  here.agent.letGo("a", "b", "c");
});

test("the folder is free again when its loop is paused, waits or has ended", async () => {
  const here = await ground();
  await here.create("a", "b");
  const run = await working(here, "a");
  await here.open().send("a", { type: "pause" });
  await run.run;
  await working(here, "b");
  expect((await here.open().get("b")).workspace?.path).toBeUndefined();
});

describe("a loop that has begun in a folder where another one works", () => {
  /** `a` is paused in the middle of its work, and `b` works. */
  async function taken(options: { git?: boolean } = {}) {
    const here = await ground(options);
    await here.create("a", "b");
    const run = await working(here, "a");
    await here.open().send("a", { type: "pause" });
    await run.run;
    await working(here, "b");
    return here;
  }

  test("is refused with what to type, and stays as it was", async () => {
    const here = await taken();
    const before = await here.open().get("a");
    const error: unknown = await here
      .open()
      .run("a")
      .catch((thrown: unknown) => thrown);
    expect(isLoopError(error, "workspace_busy")).toBe(true);
    for (const part of [
      `Loop b works on the files of ${here.cwd}`,
      "Loop a has begun there and cannot move.",
      `in ${here.cwd}: ccw-loop watch b, or ccw-loop pause b`,
      "Then: ccw-loop resume a",
    ]) {
      expect(String(error)).toContain(part);
    }
    const { updated_at: _, revision: __, ...after } = await here.open().get("a");
    expect(before).toMatchObject(after);
    expect(await here.store.ownerOf("a")).toBeNull();
  });

  test("waits for its turn when a supervisor is to drive it, which says so once", async () => {
    const here = await taken();
    await here.open().send("a", { type: "resume" });
    let looks = 0;
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => {
        looks += 1;
        return systemClock.sleep(Math.min(ms, 20), signal);
      },
      monotonic: () => systemClock.monotonic() * 10,
    };
    const supervisor = atWork(here.open({ clock }));
    await vi.waitFor(() => expect(supervisor.notices).not.toEqual([]), PATIENCE);
    const seen = looks;
    await vi.waitFor(() => expect(looks).toBeGreaterThan(seen + 20), PATIENCE);
    expect(supervisor.notices).toEqual([
      expect.objectContaining({
        type: "loop.put_off",
        id: "a",
        error: expect.objectContaining({ code: "workspace_busy" }),
      }),
    ]);
    expect((await here.store.read("a")).state.status).toBe("running");
    here.agent.letGo("a", "b");
    await vi.waitFor(
      async () => expect((await here.open().get("a")).status).toBe("completed"),
      PATIENCE,
    );
    expect(supervisor.taken()).toEqual(["a"]);
  });

  test("is not rewound", async () => {
    const here = await taken();
    await expect(here.open().rewind("a", 0)).rejects.toMatchObject({
      code: "workspace_busy",
      message: expect.stringContaining("Nobody else may change them meanwhile."),
    });
    expect((await here.open().get("a")).workspace?.restoring ?? null).toBeNull();
  });
});

test("without git there are no worktrees: a second loop is refused before it begins", async () => {
  const here = await ground({ git: false });
  await here.create("a", "b");
  await working(here, "a");
  await expect(here.open().run("b")).rejects.toMatchObject({
    code: "workspace_busy",
    message: expect.stringMatching(
      /Without git no loop can have a worktree.*ccw-loop run --loop-id b$/,
    ),
  });
  expect((await here.open().get("b")).status).toBe("created");
});

test("a repository without a commit has no worktrees either", async () => {
  const here = await ground();
  await rm(join(here.cwd, ".git"), { recursive: true });
  execFileSync("git", ["init", "--quiet"], { cwd: here.cwd });
  await here.create("a", "b");
  await working(here, "a");
  await expect(here.open().run("b")).rejects.toMatchObject({
    code: "workspace_busy",
    message: expect.stringContaining("has no commit yet"),
  });
});

test("two projects in one repository, and two paths to one project, are one tree", async () => {
  const here = await ground();
  await here.create("a");
  await working(here, "a");
  const link = join(project(), "link");
  symlinkSync(here.cwd, link);
  await mkdir(join(here.cwd, "sub"), { recursive: true });
  for (const [id, cwd] of [
    ["b", join(here.cwd, "sub")],
    ["c", link],
  ] as const) {
    const other: Ground = { ...here, store: memoryStore() };
    other.open = (changes = {}) => here.open({ store: other.store, cwd, ...changes });
    const settings = { mode: "auto" as const, flaky_reruns: 0, expect: "unchanged" as const };
    await other.open().create({ id, description: id, settings });
    await working(other, id);
    const { workspace } = await other.open().get(id);
    expect(workspace?.path).toBe(join(`${here.cwd}.worktrees`, id, id === "b" ? "sub" : ""));
  }
  await atTurn(here.agent, "a", "b", "c");
});

describe("an owner that was suspended", () => {
  /** Its time stands still until it is told to go on. */
  function suspendable() {
    const over = Promise.withResolvers<void>();
    let stands = false;
    const clock = {
      ...systemClock,
      async sleep(ms: number, signal?: AbortSignal) {
        await systemClock.sleep(ms, signal);
        if (stands) await over.promise;
      },
    };
    return {
      // Long enough for a busy machine to renew it in time.
      changes: { clock, leaseTtlMs: 2000 },
      suspend: () => {
        stands = true;
      },
      resume: () => {
        stands = false;
        over.resolve();
      },
    };
  }

  test("loses its loop before another loop works on its files", async () => {
    const here = await ground();
    await here.create("a", "b");
    const owner = suspendable();
    const run = await working(here, "a", owner.changes);
    owner.suspend();
    const ended: { loop: string; epoch: number }[] = [];
    const endSuperseded = async (scope: { loop: string; epoch: number }) => void ended.push(scope);
    await vi.waitFor(async () => {
      expect(await (await openWorkspace(here.cwd)).holder()).toBeNull();
      expect(await here.store.ownerOf("a")).toBeNull();
    }, PATIENCE);
    const other = here.open({ endSuperseded }).run("b");
    other.catch(() => undefined);
    await atWorkOn(here.agent, "b", other);
    expect(ended.map(({ loop }) => loop)).toEqual(["a", "b"]);
    expect((await here.open().get("b")).workspace?.path).toBeUndefined();
    owner.resume();
    await expect(run.run).rejects.toMatchObject({ code: "fenced" });
    here.agent.letGo("b");
    expect(await other).toMatchObject({ status: "completed" });
  });

  test("pauses its loop when a loop of another project works on its files by now", async () => {
    const here = await ground();
    await here.create("a");
    const owner = suspendable();
    const run = await working(here, "a", owner.changes);
    owner.suspend();
    const workspace = await openWorkspace(here.cwd);
    const other = { loop: "x", project: "/elsewhere", owner: "another process" };
    await vi.waitFor(() => workspace.claim(other, 60_000), PATIENCE);
    owner.resume();
    const message = expect.stringContaining("claimed by another loop");
    await expect(run.run).rejects.toMatchObject({ code: "workspace_busy", message });
    const state = await here.open().get("a");
    expect(state).toMatchObject({ status: "paused", action: { name: "DEVELOP" } });
  });
});
