import { type Agent, LoopError, type LoopState, NewTask } from "@ccw-loop/core";
import { fakeClock, memoryStore, scriptedAgent } from "@ccw-loop/testkit";
import { expect, test } from "vitest";
import { bench, driven, journal, plan, type Turns, verifierThat, write } from "./support.ts";

const HOUR = 3_600_000;
const limit = { code: "usage_limit" as const, resets_in: 3600 };
const full = { action: "DEVELOP", once: true, steps: [{ fail: limit }] };

/** Agents by name, each with its own script, and who was asked for a task, in turn. */
function agents(scripts: Record<string, Turns>) {
  const clock = fakeClock();
  const asked: string[] = [];
  const made = new Map<string, Agent>();
  const agent = async ({ agent: name = "codex" }: { agent?: string | undefined }) => {
    const turns = scripts[name];
    if (turns === undefined) {
      throw new LoopError("agent_unavailable", `${name} is not installed.`);
    }
    const scripted = made.get(name) ?? scriptedAgent({ script: { turns }, now: clock.now });
    made.set(name, scripted);
    return { ...told(scripted, () => asked.push(name)), driver: `driver of ${name}` };
  };
  const store = memoryStore({ monotonic: clock.monotonic });
  const b = bench(scripts.codex ?? [], verifierThat("pass"), {
    agent,
    clock,
    store,
    leaseTtlMs: 60_000,
  });
  return { ...b, asked, clock };
}

/** The same agent, and whether it was asked for a task. */
function told(agent: Agent, onTask: () => void): Agent {
  return {
    driver: agent.driver,
    check: (cwd) => agent.check(cwd),
    async open(options) {
      const session = await agent.open(options);
      const run: typeof session.run = (prompt, turn) => {
        if (prompt.includes("# ACTION: DEVELOP")) onTask();
        return session.run(prompt, turn);
      };
      return new Proxy(session, {
        get: (of, key) => {
          const value: unknown = key === "run" ? run : Reflect.get(of, key);
          return typeof value === "function" ? value.bind(of) : value;
        },
      });
    },
  };
}

const add = (id: string, tool?: "codex" | "gemini" | "claude") =>
  ({
    type: "add_task",
    task: NewTask.parse({ id, description: `Write ${id}`, ...(tool ? { tool } : {}) }),
  }) as const;

const conversations = (state: LoopState) => [
  state.agent?.session_id,
  state.agents?.gemini?.session_id,
];

test("a task is done by the agent that it names, in one conversation for each agent", async () => {
  const b = agents({
    codex: [write("a.js", "1"), write("c.js", "1")],
    gemini: [write("b.js", "1"), write("d.js", "1")],
  });
  const id = await b.start();
  await b.service.send(id, add("a"));
  await b.service.send(id, add("b", "gemini"));
  await b.service.send(id, add("c", "codex"));
  await b.service.send(id, add("d", "gemini"));
  const state = await b.service.run(id);
  expect(state.status).toBe("completed");
  expect(b.asked).toEqual(["codex", "gemini", "codex", "gemini"]);
  const [own, gemini] = conversations(state);
  expect(own).toEqual(expect.any(String));
  expect(gemini).toEqual(expect.any(String));
  expect(own).not.toBe(gemini);
  const begun = (await journal(b.store, id)).filter(({ event }) => event.type === "agent.attached");
  expect(begun).toHaveLength(2);
});

test("a task that names an agent that is missing is done by the loop's own, which is told once", async () => {
  const b = agents({ codex: [write("a.js", "1"), write("b.js", "1")] });
  const id = await b.start();
  await b.service.send(id, add("a", "gemini"));
  await b.service.send(id, add("b", "gemini"));
  const warnings: string[] = [];
  const state = await b.service.run(id, {
    onEvent: (live) => {
      if (live.kind !== "activity" || live.activity.event.type !== "warning.raised") return;
      warnings.push(live.activity.event.message);
    },
  });
  expect(state.status).toBe("completed");
  expect(b.asked).toEqual(["codex", "codex"]);
  expect(warnings).toEqual([
    "gemini cannot be used, so codex does its tasks: gemini is not installed.",
  ]);
});

test("at a usage limit the agent that was named for it goes on at once", async () => {
  const b = agents({
    codex: [plan("one"), full],
    gemini: [write("a.js", "1")],
  });
  const { id, state } = await driven(b, { settings: { fallback: "gemini" } });
  expect(state.status).toBe("completed");
  expect(b.asked).toEqual(["codex", "gemini"]);
  const events = (await journal(b.store, id)).map(({ event }) => event);
  expect(events.filter(({ type }) => type === "waiting.started")).toEqual([]);
  expect(events).toContainEqual({
    type: "agent.limited",
    at: expect.any(String),
    agent: "codex",
    until: new Date(b.clock.now().getTime() + HOUR).toISOString(),
    instead: "gemini",
  });
});

test("where both are at their limits, the loop waits for the first of them", async () => {
  const sooner = { code: "usage_limit" as const, resets_in: 7200 };
  const b = agents({
    codex: [plan("one"), full, write("a.js", "1")],
    gemini: [{ action: "DEVELOP", once: true, steps: [{ fail: sooner }] }],
  });
  const id = await b.start({ settings: { fallback: "gemini" } });
  const state = await b.service.run(id, { waitForLimits: false });
  const lifted = new Date(b.clock.now().getTime() + HOUR).toISOString();
  expect(state.waiting).toMatchObject({ kind: "usage_limit", until: lifted });
  await b.clock.advance(HOUR + 1000);
  expect((await b.service.run(id)).status).toBe("completed");
  expect(b.asked).toEqual(["codex", "gemini", "codex"]);
});

test("where the one that was named cannot be used, the loop waits", async () => {
  const b = agents({ codex: [plan("one"), full, full, write("a.js", "1")] });
  const id = await b.start({ settings: { fallback: "gemini" } });
  const state = await b.service.run(id, { waitForLimits: false });
  expect(state.waiting).toMatchObject({ kind: "usage_limit" });
  expect(b.asked).toEqual(["codex", "codex"]);
});
