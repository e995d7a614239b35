import { LoopError, type LoopEvent, type LoopState } from "@ccw-loop/core";
import { folderWorkspace, memoryStore } from "@ccw-loop/testkit";
import { expect, test, vi } from "vitest";
import { systemClock } from "../src/index.ts";
import { afterCommit, agentBut, beforeCommit, isStart } from "./interfere.ts";
import { actions, bench, plan, verifierThat, write } from "./support.ts";

const TURNS = [plan("one"), write("a.js", "1")];
const never = new Promise<never>(() => undefined);
const unavailable = new LoopError("store_unavailable", "The disk is gone.");

/** No short wait takes any time. */
const hurried = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms < 2000 ? 0 : ms, signal),
};

/** What an iterator over nothing but a failure gives. */
function failing(error: Error): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}

/** The loop rests: nobody drives it and it does not look as if somebody did. */
async function restsPaused(
  b: ReturnType<typeof bench>,
  id: string,
  status: LoopState["status"] = "paused",
): Promise<LoopState> {
  const state = await b.service.get(id);
  expect(state.status).toBe(status);
  expect(await b.store.ownerOf(id)).toBeNull();
  return state;
}

test("an agent that never opens is left by a stop, and closed when it opens after all", async () => {
  const opening = Promise.withResolvers<void>();
  const closed = vi.fn();
  const slow = agentBut(TURNS, () => ({ close: async () => closed() }));
  const asked = vi.fn();
  const agent = {
    ...slow,
    async open({ signal: _ignored, ...options }: Parameters<typeof slow.open>[0]) {
      asked();
      await opening.promise;
      return slow.open(options);
    },
  };
  const b = bench(TURNS, verifierThat("pass"), { agent: async () => agent });
  const id = await b.start();
  const run = b.service.run(id);
  await vi.waitFor(() => expect(asked).toHaveBeenCalled(), 10_000);
  await b.service.send(id, { type: "stop" });
  expect(await run).toMatchObject({ outcome: { code: "stopped_by_user" } });
  const { revision } = await b.store.read(id);
  opening.resolve();
  await vi.waitFor(() => expect(closed).toHaveBeenCalled(), 10_000);
  expect((await b.store.read(id)).revision).toBe(revision);
});

test("an agent that does not answer the request to converge is timed out all the same", async () => {
  const hang = { action: "DEVELOP", once: true, steps: [{ hang: true as const }] };
  const again = { ...write("a.js", "1"), expect: "cut off because it took too long" };
  const agent = agentBut([plan("one"), hang, again], () => ({ steer: () => never }));
  const b = bench(TURNS, verifierThat("pass"), { agent: async () => agent });
  const id = await b.start({ limits: { turn_timeout_ms: 200 } });
  expect((await b.service.run(id)).status).toBe("completed");
});

test("a conversation that cannot be recorded ends its turn, and the run says why", async () => {
  const store = memoryStore();
  const { append } = store;
  store.append = async (id, revision, events: readonly LoopEvent[], options) => {
    if (events.some((event) => event.type === "agent.attached")) throw unavailable;
    return append(id, revision, events, options);
  };
  const hang = { action: "INIT", steps: [{ hang: true as const }] };
  const b = bench([hang], verifierThat("pass"), { store });
  const id = await b.start();
  await expect(b.service.run(id)).rejects.toBe(unavailable);
  const state = await restsPaused(b, id);
  expect(state.action).toMatchObject({ name: "INIT", interrupted: "The disk is gone." });
});

test("a turn is counted, though the commit that was to tell of it failed", async () => {
  const b = bench(TURNS, verifierThat("pass"));
  const id = await b.start();
  const ended = (event: LoopEvent) => event.type === "action.completed" && event.action === "INIT";
  beforeCommit(b.store, ended, () => Promise.reject(unavailable));
  await expect(b.service.run(id)).rejects.toBe(unavailable);
  expect((await restsPaused(b, id)).usage?.turns).toBe(1);
});

test("an agent that died in its first action continues the same conversation", async () => {
  const dying = { action: "INIT", once: true, steps: [{ crash: true as const }] };
  const opened: (string | null | undefined)[] = [];
  const real = agentBut([dying, ...TURNS], () => ({}));
  const agent: typeof real = {
    ...real,
    open(options) {
      opened.push(options.sessionId);
      return real.open(options);
    },
  };
  const b = bench(TURNS, verifierThat("pass"), { agent: async () => agent });
  const state = await b.service.run(await b.start());
  expect(opened).toEqual([null, state.agent?.session_id]);
});

test("an agent that cannot be closed does not keep the loop", async () => {
  const broken = new Error("still here");
  const agent = agentBut(TURNS, () => ({ close: () => Promise.reject(broken) }));
  const b = bench(TURNS, verifierThat("pass"), { agent: async () => agent });
  const id = await b.start();
  await expect(b.service.run(id)).rejects.toBe(broken);
  expect((await b.service.get(id)).status).toBe("completed");
  expect(await b.store.ownerOf(id)).toBeNull();
});

test.each([
  ["opened", "created", { workspace: () => Promise.reject(new Error("no git")) }],
  [
    "measured",
    "paused",
    {
      workspace: async (folder: string) => ({
        ...folderWorkspace(folder),
        tree: () => Promise.reject(new Error("no git")),
      }),
    },
  ],
] as const)(
  "a loop whose workspace cannot be %s is %s behind a run, which says why",
  async (_, status, changes) => {
    const b = bench(TURNS, verifierThat("pass"), changes);
    const id = await b.start();
    await expect(b.service.run(id)).rejects.toThrow("no git");
    await restsPaused(b, id, status);
  },
);

test("a menu that breaks pauses the loop; it is shown again in the next run", async () => {
  const b = bench(TURNS, verifierThat("pass"));
  const id = await b.start({ settings: { mode: "interactive" } });
  const gone = b.service.run(id, { choose: () => Promise.reject(new Error("no terminal")) });
  await expect(gone).rejects.toThrow("no terminal");
  await restsPaused(b, id);
  expect((await b.service.run(id, { choose: async () => "exit" })).status).toBe("user_exit");
});

test("a menu that nobody answers is left when the loop is stopped elsewhere", async () => {
  const b = bench(TURNS, verifierThat("pass"));
  const id = await b.start({ settings: { mode: "interactive" } });
  const choose = vi.fn(() => never);
  const run = b.service.run(id, { choose });
  await vi.waitFor(() => expect(choose).toHaveBeenCalled(), 10_000);
  await b.service.send(id, { type: "stop" });
  expect((await run).outcome?.code).toBe("stopped_by_user");
});

test("View progress shows what has become of the loop", async () => {
  const b = bench(TURNS, verifierThat("pass"));
  const id = await b.start({ settings: { mode: "interactive" } });
  const lines: (string | undefined)[] = [];
  await b.service.run(id, {
    choose: async (menu) => {
      lines.push(menu.summary[0]);
      if (lines.length > 1) return "exit";
      await b.service.send(id, { type: "remove_task", task_id: "task-001" });
      return "status";
    },
  });
  expect(lines).toEqual(["Develop: 0/1 (0 %)", "Develop: 0/0 (0 %)"]);
});

test("a watch that fails for a while is taken up again: a pause still arrives", async () => {
  const store = memoryStore();
  const { watch } = store;
  let failures = 0;
  store.watch = (...args) => {
    failures += 1;
    return failures <= 3 ? failing(unavailable) : watch(...args);
  };
  const hang = { action: "DEVELOP", steps: [{ hang: true as const }] };
  const b = bench([plan("one"), hang], verifierThat("pass"), { store, clock: hurried });
  const id = await b.start();
  afterCommit(store, isStart("DEVELOP"), () => b.service.send(id, { type: "pause" }));
  expect((await b.service.run(id)).status).toBe("paused");
  expect(failures).toBe(4);
});

test("a loop that cannot be watched at all is not driven on", async () => {
  const store = memoryStore();
  store.watch = () => failing(unavailable);
  const hang = { action: "INIT", steps: [{ hang: true as const }] };
  const b = bench([hang], verifierThat("pass"), { store, clock: hurried });
  const id = await b.start();
  await expect(b.service.run(id)).rejects.toBe(unavailable);
  await restsPaused(b, id);
});

test("a loop that vanishes ends its turn", async () => {
  const hang = { action: "DEVELOP", steps: [{ hang: true as const }] };
  const b = bench([plan("one"), hang], verifierThat("pass"));
  const id = await b.start();
  afterCommit(b.store, isStart("DEVELOP"), async () => {
    await b.service.send(id, { type: "pause" });
    await b.store.remove(id);
  });
  await expect(b.service.run(id)).rejects.toMatchObject({ code: "loop_not_found" });
});

test("a lease that is lost between the actions ends the run as well", async () => {
  const store = memoryStore();
  const b = bench(TURNS, verifierThat("pass"), { store, leaseTtlMs: 1000 });
  const id = await b.start({ settings: { mode: "interactive" } });
  const choose = () => {
    store.renew = () => Promise.reject(new LoopError("fenced", "Somebody else drives it."));
    return never;
  };
  await expect(b.service.run(id, { choose })).rejects.toMatchObject({ code: "fenced" });
  expect(await actions(store, id)).toEqual(["INIT"]);
});
