import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodeOf, type MenuChoice, NewTask } from "@ccw-loop/core";
import { expect, test } from "vitest";
import {
  actions,
  bench,
  cause,
  debug,
  driven,
  journal,
  plan,
  verifierThat,
  write,
} from "./support.ts";

const PROBED = { duration_ms: 1, output: "", timed_out: false };

test("happy: INIT DEVELOP DEVELOP VALIDATE(pass) COMPLETE, completed with a receipt", async () => {
  const b = bench(
    [plan("one", "two"), write("a.js", "1"), write("b.js", "2")],
    verifierThat("pass"),
  );
  const { done, state } = await driven(b);
  expect(done).toEqual(["INIT", "DEVELOP", "DEVELOP", "VALIDATE(pass)", "COMPLETE"]);
  expect(state).toMatchObject({
    status: "completed",
    outcome: { code: "proven" },
    current_iteration: 3,
    receipts: [{ command: "npm test", passed: true, exit_code: 0 }],
    skill_state: {
      develop: {
        total: 2,
        completed: 2,
        tasks: [{ files_changed: ["a.js"] }, { files_changed: ["b.js"] }],
      },
      summary: { iterations: 3 },
    },
  });
  expect(state.receipts?.[0]?.tree_after).toBe(state.workspace?.tree);
  expect(exitCodeOf(state)).toBe(0);
});

test("debug: a failed VALIDATE, a confirmed cause, its fix task, a passing VALIDATE", async () => {
  const turns = [plan("one"), write("a.js", "1"), debug(cause), write("a.js", "2")];
  const b = bench(turns, verifierThat("fail", "pass"));
  const { done, state } = await driven(b);
  expect(done.join(" ")).toBe("INIT DEVELOP VALIDATE(fail) DEBUG DEVELOP VALIDATE(pass) COMPLETE");
  const fix = state.skill_state?.develop.tasks[1];
  expect(fix).toMatchObject({ id: "fix-001", fixes: "H1", status: "completed" });
  expect(fix?.description).toContain("it rounds twice");
});

test("rejected ideas are told to the next DEBUG, with what failed", async () => {
  const [idea] = cause.hypotheses;
  const probe = { ...idea?.probe, if_holds: idea?.probe.if_not, if_not: idea?.probe.if_holds };
  const rejected = { ...idea, probe };
  const other = { ...cause.hypotheses[0], id: "H2", description: "prices are fractions" };
  const first = debug({ hypotheses: [rejected] });
  const again = {
    ...debug({ hypotheses: [other], confirmed_hypothesis: "H2" }),
    when: ["# ACTION: DEBUG", "rejected H1: it rounds twice (Its probe showed"],
  };
  const told = { ...again, expect: ["cart > total: 1 is not 2"], repeat: false };
  const b = bench(
    [plan("one"), write("a.js", "1"), told, again, first, write("a.js", "2")],
    verifierThat("fail", "pass"),
  );
  const state = await b.service.run(await b.start());
  expect(state.status).toBe("completed");
  expect(state.skill_state?.debug.confirmed_hypothesis).toBe("H2");
});

test("a repair made in DEBUG itself goes straight to VALIDATE", async () => {
  const repairing = { ...debug(cause), steps: [{ write: { path: "a.js", content: "2" } }] };
  const b = bench([plan("one"), write("a.js", "1"), repairing], verifierThat("fail", "pass"));
  const { done } = await driven(b);
  expect(done.join(" ")).toBe("INIT DEVELOP VALIDATE(fail) DEBUG VALIDATE(pass) COMPLETE");
});

test("the iteration limit ends failed with a summary, exit code 3, and can be raised", async () => {
  const turns = [
    plan("one"),
    write("a.js", "1"),
    { ...debug(), repeat: false },
    { ...debug(), repeat: false },
    debug(cause),
    write("a.js", "2"),
  ];
  const b = bench(turns, verifierThat("fail", "pass"));
  const { id, state: ended } = await driven(b, { max_iterations: 3 });
  expect(ended).toMatchObject({ status: "failed", outcome: { code: "max_iterations" } });
  expect(ended.skill_state?.summary).toMatchObject({ validate: { passed: false } });
  expect(exitCodeOf(ended)).toBe(3);
  await expect(b.service.run(id)).rejects.toMatchObject({ code: "invalid_transition" });
  await b.service.send(id, { type: "resume", reopen: true, changes: { max_iterations: 9 } });
  expect(await b.service.run(id)).toMatchObject({
    status: "completed",
    outcome: { code: "proven" },
  });
});

test("interactive: INIT MENU DEVELOP MENU VALIDATE MENU COMPLETE, by a person's choices", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"));
  const id = await b.start({ settings: { mode: "interactive" } });
  const choices: MenuChoice[] = ["status", "complete", "develop", "validate", "complete"];
  const notices: (string | undefined)[] = [];
  const state = await b.service.run(id, {
    choose: async (menu) => {
      notices.push(menu.notice);
      return choices.shift() ?? "exit";
    },
  });
  expect(state.status).toBe("completed");
  const order = await actions(b.store, id);
  expect(order).toEqual(["INIT", "MENU", "DEVELOP", "MENU", "VALIDATE(pass)", "MENU", "COMPLETE"]);
  expect(notices[2]).toContain("COMPLETE needs a passing VALIDATE");
});

test("interactive: exit leaves user_exit, and the loop goes on later", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"));
  const id = await b.start({ settings: { mode: "interactive" } });
  const left = await b.service.run(id, { choose: async () => "exit" });
  expect(left.status).toBe("user_exit");
  const choices: MenuChoice[] = ["develop", "validate", "complete"];
  const state = await b.service.run(id, { choose: async () => choices.shift() ?? "exit" });
  expect(state.status).toBe("completed");
});

test("interactive without a person here waits, and any door can answer", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"));
  const { id, state: waiting } = await driven(b, { settings: { mode: "interactive" } });
  expect(waiting).toMatchObject({
    status: "running",
    waiting: { kind: "input", menu: true, options: ["develop", "debug", "validate"] },
  });
  expect(exitCodeOf(waiting)).toBe(4);
  expect((await b.service.why(id)).driven_by).toBeNull();
  for (const text of ["develop", "validate", "complete"]) {
    await b.service.send(id, { type: "answer", text });
    await b.service.run(id);
  }
  expect((await b.service.get(id)).status).toBe("completed");
});

test("files that changed after the passing run send the loop back to VALIDATE", async () => {
  let edited = false;
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"));
  const id = await b.start();
  const state = await b.service.run(id, {
    onEvent: (live) => {
      if (live.kind !== "recorded" || edited) return;
      const { event } = live.recorded;
      if (event.type !== "action.completed" || event.action !== "VALIDATE") return;
      edited = true;
      writeFileSync(join(b.dir, "sneaked-in.js"), "throw 1");
    },
  });
  expect((await actions(b.store, id)).slice(-3)).toEqual([
    "VALIDATE(pass)",
    "VALIDATE(pass)",
    "COMPLETE",
  ]);
  expect(state.receipts?.at(-1)?.tree_after).not.toBe(state.receipts?.at(-2)?.tree_after);
});

test("given tasks are the plan: INIT needs no agent turn", async () => {
  const b = bench([{ ...write("a.js", "1"), expect: "say hello" }], verifierThat("pass"));
  const id = await b.start();
  const task = NewTask.parse({ id: "t-1", description: "say hello" });
  await b.service.send(id, { type: "add_task", task });
  const state = await b.service.run(id);
  expect(state.status).toBe("completed");
  expect((await b.service.tasks(id)).map((t) => t.id)).toEqual(["t-1"]);
  expect(state.usage?.turns).toBe(1);
});

test("a project without tests waits for a person; a waiver is recorded and completes", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat(null));
  const { id, state: waiting } = await driven(b);
  expect(waiting.waiting).toMatchObject({ about: "tests", options: ["verify", "waive_tests"] });
  expect(exitCodeOf(waiting)).toBe(4);
  await b.service.send(id, { type: "edit", changes: { settings: { waive_tests: "a script" } } });
  const state = await b.service.run(id);
  expect(state).toMatchObject({ status: "completed", outcome: { code: "waived" } });
  expect(state.receipts?.at(-1)?.waived).toBe("a script");
});

test("a waiver is an option of the question, and its text the reason", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat(null));
  const id = await b.start();
  await b.service.run(id);
  await b.service.send(id, { type: "answer", option: "waive_tests", text: "docs only" });
  const state = await b.service.run(id);
  expect(state.outcome?.code).toBe("waived");
  expect(state.receipts?.at(-1)?.waived).toBe("docs only");
  expect(state.settings?.verify).toBeUndefined();
});

test.each([
  { text: "docs only" },
  { text: "accept", option: "skip" },
  { text: " ", option: "waive_tests" },
])("the answer %j runs no tests and waives none", async (answer) => {
  const none = { ...verifierThat(null), probe: async () => ({ ...PROBED, exit_code: 127 }) };
  const b = bench([plan("one"), write("a.js", "1")], none);
  const id = await b.start();
  const { waiting } = await b.service.run(id);
  await expect(b.service.send(id, { type: "answer", ...answer })).rejects.toMatchObject({
    code: "invalid_input",
  });
  expect((await b.service.get(id)).waiting).toEqual(waiting);
});

test("a text without an option is a command, whatever word it is", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat(null));
  const id = await b.start();
  await b.service.run(id);
  const state = await b.service.send(id, { type: "answer", text: "waive_tests" });
  expect(state.settings).toMatchObject({ verify: "waive_tests" });
});

test("a waiver takes the place of a test command that was given before", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat(null));
  const id = await b.start({ settings: { verify: "docs only" } });
  await b.service.send(id, { type: "edit", changes: { settings: { waive_tests: "docs" } } });
  expect((await b.service.get(id)).settings).toMatchObject({ waive_tests: "docs" });
  expect((await b.service.get(id)).settings?.verify).toBeUndefined();
});

test("the answer to the question for a test command is that command, for every later run too", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat(null));
  const id = await b.start();
  await b.service.run(id);
  await expect(b.service.send(id, { type: "answer", text: " " })).rejects.toMatchObject({
    code: "invalid_input",
  });
  const answered = await b.service.send(id, { type: "answer", text: "make test" });
  expect(answered).toMatchObject({ settings: { verify: "make test" } });
  expect(answered.waiting).toBeUndefined();
  await b.service.run(id);
  expect(await actions(b.store, id)).toContain("VALIDATE(fail)");
});

test("nothing is recorded twice and every commit carries the orchestrator's name", async () => {
  const b = bench([plan("one"), write("a.js", "1")], verifierThat("pass"), { owner: "me" });
  const id = await b.start();
  const seen: number[] = [];
  await b.service.run(id, {
    onEvent: (live) => live.kind === "recorded" && seen.push(live.recorded.revision),
  });
  const all = await journal(b.store, id);
  expect(seen).toEqual(all.filter((r) => r.revision > 1).map((r) => r.revision));
  expect(new Set(all.slice(1).map((r) => r.actor))).toEqual(new Set(["me"]));
});
