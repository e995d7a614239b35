/** @module-tag slow */
import {
  type Agent,
  exitCodeOf,
  isLoopError,
  LoopError,
  NewTask,
  type Verifier,
} from "@ccw-loop/core";
import { memoryStore, memoryWorkspace, plannedAgent } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { loopService } from "../src/index.ts";
import { afterCommit, agentBut, atUse, beforeCommit, isStart } from "./interfere.ts";
import { noFiles } from "./no-files.ts";
import {
  actions,
  type Bench,
  bench,
  cause,
  debug,
  journal,
  plan,
  verifierThat,
  write,
} from "./support.ts";

const ALL = ["INIT", "DEVELOP", "VALIDATE(fail)", "DEBUG", "DEVELOP", "VALIDATE(pass)", "COMPLETE"];
const bad = { action: "DEVELOP", answer: { status: "failed" as const, message: "no idea" } };

const ANSWERS: Record<string, unknown> = {
  INIT: plan("one").answer,
  DEVELOP: { message: "done", state_updates: { summary: "wrote a.js" } },
  DEBUG: debug(cause).answer,
};

/** Works at once and in memory; without a sandbox of its own, so its probes are the verifier's and start no process. */
function quickAgent(files: Map<string, string>): Agent {
  const actionIn = (prompt: string) => /# ACTION: (\w+)/.exec(prompt)?.[1] ?? "";
  let writes = 0;
  return plannedAgent({
    clock: { now: () => new Date(), monotonic: () => 0, sleep: async () => undefined },
    opening: () => ({ after: 0, refused: null }),
    turn(prompt) {
      const action = actionIn(prompt);
      const text = JSON.stringify({ action, status: "success", ...Object(ANSWERS[action]) });
      return { after: 0, ending: { kind: "answer", text }, usage: null, flood: 0, lag: 0 };
    },
    begin: (prompt) => ({
      work() {
        writes += 1;
        if (actionIn(prompt) !== "DEVELOP") return;
        files.set("a.js", prompt.includes("DEVELOP fix-") ? "2" : "1");
        files.set("b.js", String(writes));
      },
      end: () => undefined,
      killed: new AbortController().signal,
    }),
    reachCaller: async () => undefined,
  });
}

/** What an operator or the caller does in one instant, and how the run then ends unless the loop was done before. */
const ACTS = [
  ["pause", ["paused"]],
  ["stop", ["failed"]],
  ["exit", ["user_exit"]],
  ["pause, resume", ["completed"]],
  ["abort", ["paused"]],
] as const;

describe.each(ACTS)("%s, whatever the instant", (name, ends) => {
  /** Runs a loop in which it happens before the `n`th use of the store; false when there were fewer. */
  async function happens(n: number): Promise<boolean> {
    const store = memoryStore();
    const untouched = { ...store };
    const files = new Map<string, string>();
    const [agent, workspace] = [quickAgent(files), memoryWorkspace(files)];
    const verifier: Verifier = {
      ...verifierThat("fail", "pass"),
      probe: async (_command, { cwd }) => {
        const output = cwd === b.dir ? (files.get("a.js") ?? "") : "";
        return { exit_code: 0, duration_ms: 1, output, timed_out: false };
      },
    };
    const b: Bench = bench([plan("never")], verifier, {
      store,
      agent: async () => agent,
      commandProblem: async () => null,
      workspace: async () => workspace,
      files: noFiles,
    });
    const operator = loopService({ ...notDriving, store: untouched, cwd: b.dir, files: noFiles });
    const id = await b.start();
    const abort = new AbortController();
    let refused = false;
    const reached = atUse(store, n, async () => {
      if (name === "abort") return abort.abort("told to");
      for (const type of name.split(", ")) {
        await operator.send(id, { type: type as "pause" }).catch((error: unknown) => {
          if (!isLoopError(error, "invalid_transition")) throw error;
          refused = true;
        });
      }
    });
    const told: number[] = [];
    const state = await b.service
      .run(id, {
        signal: abort.signal,
        onEvent: (live) => live.kind === "recorded" && told.push(live.recorded.revision),
      })
      .catch((error: unknown) => {
        if (!isLoopError(error, "invalid_transition")) throw error;
        return operator.get(id);
      });
    const stored = await operator.get(id);
    expect(stored.status, `at ${n}`).toBe(state.status);
    expect(await store.ownerOf(id), `at ${n}`).toBeNull();
    if (!refused) expect([...ends, "completed"], `at ${n}`).toContain(state.status);
    if (reached() && !refused && name !== "abort") expect(ends, `at ${n}`).toContain(state.status);
    expect(told).toEqual([...told].sort((x, y) => x - y));

    if (state.status === "failed") return reached();
    if (state.status !== "completed") await b.service.run(id);
    const done = await actions(untouched, id);
    expect(
      done.filter((action) => !action.includes("interrupted")),
      `at ${n}`,
    ).toEqual(ALL);
    return reached();
  }

  test("leaves nothing running and nothing done twice", { timeout: 120_000 }, async () => {
    let n = 1;
    while (await happens(n)) n += 1;
    expect(n).toBeGreaterThan(30);
  });
});

const notDriving = {
  agent: async () => {
    throw new Error("drives nothing");
  },
  verifier: verifierThat("fail"),
  workspace: async () => {
    throw new Error("drives nothing");
  },
};

test("a task that is added as COMPLETE begins is done before the loop completes", async () => {
  const b = bench([plan("one"), write("a.js", "1"), write("b.js", "2")], verifierThat("pass"));
  const id = await b.start();
  const task = NewTask.parse({ id: "late", description: "one more" });
  afterCommit(b.store, isStart("COMPLETE"), () => b.service.send(id, { type: "add_task", task }));
  const state = await b.service.run(id);
  expect(state).toMatchObject({ status: "completed", outcome: { code: "proven" } });
  expect(state.skill_state?.develop).toMatchObject({ total: 2, completed: 2 });
});

test.each(["pause", "fail_fast"])("on_error %s does not undo a stop", async (on_error) => {
  const b = bench([bad], verifierThat("pass"));
  const id = await b.start();
  const task = NewTask.parse({ id: "t-1", description: "x", on_error });
  await b.service.send(id, { type: "add_task", task });
  beforeCommit(
    b.store,
    (event) => event.type === "action.failed",
    () => b.service.send(id, { type: "stop" }),
  );
  const state = await b.service.run(id);
  expect(state).toMatchObject({ status: "failed", outcome: { code: "stopped_by_user" } });
});

test("a loop that was stopped waits for nothing", async () => {
  const limited = { action: "DEVELOP", steps: [{ fail: "usage_limit" as const }] };
  const b = bench([plan("one"), limited], verifierThat("pass"));
  const id = await b.start();
  beforeCommit(
    b.store,
    (event) => event.type === "waiting.started",
    () => b.service.send(id, { type: "stop" }),
  );
  const state = await b.service.run(id);
  expect(state.status).toBe("failed");
  expect(state).not.toHaveProperty("waiting");
  expect(exitCodeOf(state)).toBe(1);
});

test("a loop that is resumed while it is given back is driven on", async () => {
  const loop = { id: "" };
  const agent = agentBut([plan("one"), write("a.js", "1")], (session) => ({
    async close() {
      const { status } = await b.service.get(loop.id);
      if (status === "paused") await b.service.send(loop.id, { type: "resume" });
      await session.close();
    },
  }));
  const b = bench([plan("never")], verifierThat("pass"), { agent: async () => agent });
  loop.id = await b.start();
  afterCommit(b.store, isStart("DEVELOP"), () => b.service.send(loop.id, { type: "pause" }));
  const told: string[] = [];
  const state = await b.service.run(loop.id, {
    onEvent: (live) => live.kind === "recorded" && told.push(live.recorded.event.type),
  });
  expect(state.status).toBe("completed");
  expect(told).toEqual((await journal(b.store, loop.id)).slice(1).map((r) => r.event.type));
});

test("a test command that is changed while the tests run is the one that counts", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"));
  const id = await b.start({ settings: { verify: "make old" } });
  const changes = { settings: { verify: "make new" } };
  afterCommit(b.store, isStart("VALIDATE"), () => b.service.send(id, { type: "edit", changes }));
  const state = await b.service.run(id);
  expect(state.status).toBe("completed");
  expect((await actions(b.store, id)).join(" ")).toBe(
    "INIT DEVELOP VALIDATE(interrupted) VALIDATE(pass) COMPLETE",
  );
});

test("a loop that was stopped this moment is deleted as soon as its owner lets go of it", async () => {
  const b = bench([plan("one")], verifierThat("pass"));
  const id = await b.start();
  await b.service.send(id, { type: "stop" });
  const lease = await b.store.claim(id, "its owner", 60_000);
  const { ownerOf } = b.store;
  const seen: (string | null)[] = [];
  b.store.ownerOf = async (loop) => {
    if (seen.length === 3) await b.store.release(lease);
    seen.push(await ownerOf(loop));
    return seen.at(-1) ?? null;
  };
  await b.service.delete(id);
  expect(seen).toEqual(["its owner", "its owner", "its owner", null]);
  await expect(b.service.get(id)).rejects.toMatchObject({ code: "loop_not_found" });
});

test("a loop is not deleted under somebody who begins to drive it in that instant", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"));
  const id = await b.start();
  const { ownerOf } = b.store;
  let run: Promise<unknown> | undefined;
  b.store.ownerOf = async (loop) => {
    const owner = await ownerOf(loop);
    run ??= b.service.run(id);
    await new Promise((resolve) => setImmediate(resolve));
    return owner;
  };
  await expect(b.service.delete(id)).rejects.toSatisfy((error) =>
    isLoopError(error, "loop_busy", "invalid_transition"),
  );
  expect(await run).toMatchObject({ status: "completed" });
  await b.service.delete(id);
  await expect(b.service.get(id)).rejects.toBeInstanceOf(LoopError);
});
