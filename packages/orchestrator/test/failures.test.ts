import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodeOf, MAX_ATTEMPTS, type NewLoop, NewTask, replay } from "@ccw-loop/core";
import { expect, test } from "vitest";
import {
  actions,
  type Bench,
  bench,
  debug,
  driven,
  eventsOf,
  plan,
  type Turns,
  verifierThat,
  write,
} from "./support.ts";

const good = write("a.js", "1");

const runs = (turns: Turns, spec?: Partial<NewLoop>) =>
  driven(bench(turns, verifierThat("pass")), spec);

const sessionsOf = async (b: Bench, id: string) =>
  (await eventsOf(b.store, id, "agent.attached")).map(({ session_id }) => session_id);

test("an answer that is no ACTION_RESULT gets one repair turn", async () => {
  const chatty = { action: "DEVELOP", steps: good.steps, answer: "All done!" };
  const repaired = { action: "DEVELOP", expect: "could not be read", answer: { message: "done" } };
  const { state } = await runs([plan("one"), chatty, repaired]);
  expect(state.status).toBe("completed");
  expect(state.skill_state?.develop.tasks[0]?.files_changed).toEqual(["a.js"]);
});

test("an answer to another action is an echo, and gets a repair turn as well", async () => {
  const echo = { steps: good.steps, answer: { action: "INIT", message: "planned" } };
  const repaired = { action: "DEVELOP", expect: "It answers INIT", answer: { message: "done" } };
  const { state } = await runs([plan("one"), echo, repaired]);
  expect(state.status).toBe("completed");
});

test("rubbish twice fails the action, with the text kept; DEBUG and one more attempt follow", async () => {
  const rubbish = { action: "DEVELOP", rubbish: 200 };
  const { done, state } = await runs([plan("one"), rubbish, rubbish, debug(), good]);
  expect(done.join(" ")).toBe("INIT DEVELOP(failed) DEBUG DEVELOP VALIDATE(pass) COMPLETE");
  expect(state.skill_state?.errors[0]).toMatchObject({ action: "DEVELOP" });
});

test("a plan that cannot be read becomes one task", async () => {
  const rubbish = { action: "INIT", answer: "I think we should start." };
  const { state } = await runs([rubbish, rubbish, good]);
  expect(state.skill_state?.develop.tasks).toMatchObject([{ description: "Fix the cart" }]);
  expect(state.status).toBe("completed");
});

test("a failed task is debugged, retried once, and never hidden", async () => {
  const bad = { action: "DEVELOP", answer: { status: "failed" as const, message: "no idea" } };
  const { state, done } = await runs([plan("one"), bad, debug(), bad, debug()]);
  expect(done.join(" ")).toBe(
    "INIT DEVELOP(failed) DEBUG DEVELOP(failed) DEBUG VALIDATE(pass) COMPLETE",
  );
  expect(state).toMatchObject({ status: "failed", outcome: { code: "tasks_failed" } });
});

test("a turn that takes too long is asked to converge, then retried once", async () => {
  const hang = { action: "DEVELOP", once: true, steps: [{ hang: true as const }] };
  const again = { ...good, expect: "cut off because it took too long" };
  const { state, b, id } = await runs([plan("one"), hang, again], {
    limits: { turn_timeout_ms: 300 },
  });
  expect(state.status).toBe("completed");
  const activity: string[] = [];
  for await (const { event } of b.service.activity(id)) activity.push(JSON.stringify(event));
  expect(activity.join("\n")).toContain("The time for this turn is used up");
});

test("an agent that converges when asked needs no retry", async () => {
  const slow = {
    action: "DEVELOP",
    steps: [{ expect_steer: "time for this turn is used up" }],
    answer: { status: "failed" as const, message: "half done" },
  };
  const { done } = await runs([plan("one"), slow, debug(), good], {
    limits: { turn_timeout_ms: 2000 },
  });
  expect(done.slice(0, 3)).toEqual(["INIT", "DEVELOP(failed)", "DEBUG"]);
});

test("an agent that dies is re-spawned with what it said last", async () => {
  const dying = {
    action: "DEVELOP",
    once: true,
    steps: [{ say: "I was at line 3." }, { crash: true as const }],
  };
  const again = { ...good, expect: ["ended with a crash", "I was at line 3."] };
  const { state, done } = await runs([plan("one"), dying, again]);
  expect(state.status).toBe("completed");
  expect(done.filter((a) => a.startsWith("DEVELOP"))).toEqual(["DEVELOP"]);
});

test.each([
  ["agent_unavailable", 5],
  ["agent_unauthorized", 5],
  ["sandbox_unavailable", 5],
] as const)("%s ends the loop and names it", async (code, exit) => {
  const { state } = await runs([plan("one"), { action: "DEVELOP", steps: [{ fail: code }] }]);
  expect(state).toMatchObject({ status: "failed", outcome: { code } });
  expect(exitCodeOf(state)).toBe(exit);
});

test("a usage limit that is not waited for here: exit code 75", async () => {
  const limited = { code: "usage_limit" as const, resets_in: 3600 };
  const b = bench(
    [plan("one"), { action: "DEVELOP", steps: [{ fail: limited }] }],
    verifierThat("pass"),
  );
  const state = await b.service.run(await b.start(), { waitForLimits: false });
  expect(state.waiting).toMatchObject({ kind: "usage_limit", until: expect.any(String) });
  expect(exitCodeOf(state)).toBe(75);
});

test("a conversation that overflows is begun anew", async () => {
  const full = { action: "DEVELOP", once: true, steps: [{ fail: "context_overflow" as const }] };
  const b = bench([plan("one"), full, debug(), good], verifierThat("pass"));
  const id = await b.start();
  await b.service.run(id).catch(() => undefined);
  const sessions = await sessionsOf(b, id);
  expect(sessions.length).toBeGreaterThanOrEqual(3);
  expect(sessions[1]).toBeNull();
  expect(sessions[2]).not.toBe(sessions[0]);
});

test("a question waits for a person, and the answer reaches the repeated action", async () => {
  const asks = {
    action: "DEVELOP",
    answer: { status: "needs_input" as const, message: "Which rounding?" },
  };
  const answered = { ...good, expect: "A person answered your question: half up" };
  const b = bench([plan("one"), asks, answered], verifierThat("pass"));
  const { id, state: waiting } = await driven(b);
  expect(waiting.waiting).toMatchObject({ kind: "input", prompt: "Which rounding?" });
  await b.service.send(id, { type: "answer", text: "half up" });
  expect((await b.service.run(id)).status).toBe("completed");
});

test("five failures in a row end the loop", async () => {
  const died = {
    action: "DEBUG",
    answer: { status: "failed" as const, message: "no" },
    repeat: true,
  };
  const b = bench([plan("one"), good, died], verifierThat("fail"));
  const state = await b.service.run(await b.start());
  expect(state.outcome?.code).toBe("consecutive_failures");
});

test("tokens and turns are counted, and a budget is a limit", async () => {
  const usage = { input: 100, cached: 40, output: 20 };
  const turns = [{ ...plan("one", "two"), usage }, { ...good, usage }, write("b.js", "2")];
  const { state, done } = await runs(turns, { limits: { max_tokens: 200 } });
  expect(state.outcome?.code).toBe("budget_exhausted");
  expect(done).toEqual(["INIT", "DEVELOP", "COMPLETE"]);
  expect(state.usage).toMatchObject({ turns: 2, input_tokens: 200, output_tokens: 40 });
});

test.each([
  ["pause", "paused"],
  ["fail_fast", "failed"],
] as const)("a task's on_error %s leaves the loop %s", async (on_error, status) => {
  const bad = { action: "DEVELOP", answer: { status: "failed" as const, message: "no idea" } };
  const b = bench([bad], verifierThat("pass"));
  const id = await b.start();
  const task = NewTask.parse({ id: "t-1", description: "x", on_error });
  await b.service.send(id, { type: "add_task", task });
  expect((await b.service.run(id)).status).toBe(status);
});

test("what the agent claims is kept beside what was measured", async () => {
  const lying = {
    ...good,
    answer: { ...good.answer, files_updated: [{ path: "z.js", description: "fixed" }] },
  };
  const { state } = await runs([plan("one"), lying]);
  expect(state.skill_state?.develop.tasks[0]).toMatchObject({
    files_changed: ["a.js"],
    claimed_files: ["z.js"],
  });
});

test("--session fresh opens a conversation per action", async () => {
  const { b, id } = await runs([plan("one"), good], { settings: { session: "fresh" } });
  expect(new Set(await sessionsOf(b, id)).size).toBeGreaterThan(1);
});

test("a prompt that a project replaces is used, and a misspelt one is named", async () => {
  const b = bench(
    [{ action: "INIT", expect: "Plane bitte: Fix the cart", answer: {} }, good],
    verifierThat("pass"),
  );
  const prompts = join(b.dir, ".workflow", "prompts");
  mkdirSync(prompts, { recursive: true });
  writeFileSync(join(prompts, "init.md"), "# ACTION: INIT\nPlane bitte: {{description}}");
  writeFileSync(join(prompts, "develop.md"), "{{nonsense}}");
  const id = await b.start();
  await expect(b.service.run(id)).rejects.toThrow(
    /develop\.md uses \{\{nonsense\}\}.*Known: .*task/,
  );
  expect((await b.service.get(id)).status).toBe("paused");
});

test("an action cut off too often counts as failed", async () => {
  const b = bench([plan("one"), debug(), good], verifierThat("pass"));
  const id = await b.start();
  const { state, revision } = await b.store.read(id);
  const at = new Date().toISOString();
  const events = [
    { type: "loop.started" as const, at },
    ...Array.from({ length: MAX_ATTEMPTS }, (_, i) => [
      {
        type: "action.started" as const,
        at,
        action: "INIT" as const,
        attempt: i + 1,
        task_id: null,
        tree: null,
      },
      {
        type: "action.interrupted" as const,
        at,
        action: "INIT" as const,
        reason: "crash",
        active_ms: 1,
      },
    ]).flat(),
  ];
  expect(replay(events, state).action?.attempt).toBe(MAX_ATTEMPTS);
  await b.store.append(id, revision, events, { actor: "test" });
  expect((await b.service.run(id)).status).toBe("completed");
  expect((await actions(b.store, id)).filter((a) => a === "INIT(failed)")).toHaveLength(1);
});
