import {
  DevelopTask,
  decide,
  type LoopCommand,
  LoopError,
  type LoopState,
  NewTask,
  replay,
} from "@ccw-loop/core";
import { initialProgress } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { topScreen } from "../src/model/model.ts";
import { Told } from "./support/recorded-loop.ts";
import { fittingFrame, heard, seen } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";
import { after, ended, made } from "./support/some-loops.ts";

const task = (id: string, description: string): LoopCommand => ({
  type: "add_task",
  task: NewTask.parse({ id, description }),
});

const planned = after(
  await made({ id: "cart", title: "Fix the cart" }),
  30,
  task("one", "Count the quantity"),
  task("two", "把折扣四捨五入 🛒 to whole cents"),
  task("three", "A \u001B[31mhostile\u001B[0m\u0007 task"),
);

/** The tasks of a loop that is followed. */
function tasksOf(state: LoopState, size: { columns: number; rows: number } = SIZES[0]): Told {
  return new Told(size).open(state).press("t");
}

const calls = (told: Told) =>
  told.effects.flatMap((effect) => (effect.type === "call" ? [effect.call] : []));

/** The service does what was asked, and the loop is told of it. */
function done(told: Told, state: LoopState, call = calls(told).at(-1)): LoopState {
  if (call?.name !== "send") throw new Error("No command was sent.");
  const events = decide(state, call.command, state.updated_at);
  const value = { ...replay(events, state), revision: (state.revision ?? 0) + 1 };
  told.tell({ type: "answered", answer: { name: "send", call, ok: true, value } });
  told.tell({
    type: "opened",
    id: "cart",
    progress: initialProgress(value),
  });
  return value;
}

test("shows every task with its status, and the selected one whole", () => {
  expect(seen(tasksOf(planned).press("down").model)).toMatchInlineSnapshot(`
    " 0 of 3 done
     ○  1  Count the quantity
     ○  2  把折扣四捨五入 🛒 to whole cents
     ○  3  A hostile task













    ─ two · pending ────────────────────────────────────────────────────────────────
     把折扣四捨五入 🛒 to whole cents



     a add  e edit  d remove  J later  K earlier  i import issue   esc back  ? help"
  `);
});

test("a screen reader is told the same", () => {
  expect(heard(tasksOf(planned).model)).toMatchInlineSnapshot(`
    " 0 of 3 done
    > 1. pending: Count the quantity
    - 2. pending: 把折扣四捨五入 🛒 to whole cents
    - 3. pending: A hostile task"
  `);
});

test.each(SIZES)("no line is longer than $columns columns", (size) => {
  const many = after(
    planned,
    1,
    ...Array.from({ length: 40 }, (_, i) => task(`t${i}`, "漢".repeat(i * 9))),
  );
  const told = tasksOf(many, size);
  for (const key of ["down", "G", "J", "K", "e", "esc", "d"]) {
    fittingFrame(told.press(key).model);
  }
});

test("says so while there is none", async () => {
  expect(seen(tasksOf(await made({ id: "cart" })).model)).toContain("No tasks yet.");
});

test("what became of tasks is seen", () => {
  const text = seen(tasksOf(ended("debugged", "cart", "Fix the cart")).model);
  expect(text).toMatch(/✔ +1 +/);
  expect(text).toMatch(/\(repair\)/);
});

describe("a command", async () => {
  const bash = after(
    await made({ id: "cart" }),
    1,
    { type: "add_task", task: NewTask.parse({ id: "make", description: "make", tool: "bash" }) },
    { type: "add_task", task: NewTask.parse({ id: "w", description: "Write it" }) },
  );

  test("is shown behind a `$`, and typed so", () => {
    expect(seen(tasksOf(bash).model)).toContain("○  1  $ make");
    expect(heard(tasksOf(bash).model)).toContain("> 1. pending: $ make");
    const told = tasksOf(planned).press("a").type("$ npm ci").press("enter");
    expect(calls(told)[0]).toMatchObject({
      command: { task: { description: "npm ci", command: "npm ci", tool: "bash" } },
    });
  });

  test.each([
    [" all", "$ make all", { tool: "bash", command: "make all" }],
    [null, "Make it", { tool: "codex", description: "Make it", command: "" }],
  ])("is edited as it was typed: %j", (more, text, changes) => {
    const told = tasksOf(bash).press("e");
    if (more === null) told.press("ctrl+w", "ctrl+w", "ctrl+w").type(text);
    else told.type(more);
    const [call] = calls(told.press("enter"));
    expect(call).toMatchObject({ command: { task_id: "make", changes } });
  });
});

describe("add", () => {
  test("asks for a line and adds it behind the others", () => {
    const told = tasksOf(planned).press("a").type("Write a test").press("enter");
    const [call] = calls(told);
    expect(call).toMatchObject({
      name: "send",
      id: "cart",
      command: { type: "add_task", task: { description: "Write a test", status: "pending" } },
    });
    const state = done(told, planned);
    expect(topScreen(told.model).kind).toBe("tasks");
    expect(seen(told.model)).toContain("4  Write a test");
    told.press("a").type("Write a test").press("enter");
    expect(done(told, state).tasks).toHaveLength(5);
  });

  test("nothing is not added, and a refusal keeps what was typed", () => {
    const told = tasksOf(planned).press("a", "enter");
    expect(calls(told)).toEqual([]);
    expect(seen(told.model)).toContain("Say what is to be done.");
    const [call] = calls(told.type("More").press("enter"));
    if (call?.name !== "send") throw new Error("Nothing was asked.");
    const error = new LoopError("store_unavailable", "The disk is full.");
    told.tell({ type: "answered", answer: { name: "send", call, ok: false, error } });
    expect(seen(told.model)).toContain("The disk is full.");
    expect(seen(told.model)).toContain("> More");
    expect(calls(told.press("enter"))).toHaveLength(2);
  });

  test("esc adds nothing, and a late answer hurts nobody", () => {
    const told = tasksOf(planned).press("a").type("More").press("enter", "esc");
    expect(topScreen(told.model).kind).toBe("tasks");
    done(told, planned);
    expect(topScreen(told.model).kind).toBe("tasks");
  });
});

describe("edit", () => {
  test("begins with what stands there", () => {
    const told = tasksOf(planned).press("e").press("ctrl+w").type("items").press("enter");
    expect(calls(told)).toEqual([
      {
        name: "send",
        id: "cart",
        command: { type: "edit_task", task_id: "one", changes: { description: "Count the items" } },
      },
    ]);
  });

  test("is offered for pending tasks alone", () => {
    const told = tasksOf(ended("debugged", "cart", "Fix the cart"));
    expect(seen(told.model).split("\n").at(-1)).not.toContain(" edit ");
    expect(topScreen(told.press("e").model).kind).toBe("tasks");
  });
});

test("remove asks first", () => {
  const told = tasksOf(planned).press("down", "d");
  expect(seen(told.model)).toContain("Remove this task?");
  expect(seen(told.model)).toContain("把折扣四捨五入");
  expect(calls(told)).toEqual([]);
  expect(calls(told.press("y"))).toEqual([
    { name: "send", id: "cart", command: { type: "remove_task", task_id: "two" } },
  ]);
});

describe("reorder", () => {
  const order = (told: Told) =>
    [...seen(told.model).matchAll(/^ ○ +\d+ +(\S+)/gm)].map(([, word]) => word);
  const sent = (told: Told) =>
    calls(told).flatMap((call) =>
      call.name === "send" && call.command.type === "reorder_tasks" ? [call.command.task_ids] : [],
    );

  test("is seen at once, and the selection goes with its task", () => {
    const told = tasksOf(planned).press("J");
    expect(sent(told)).toEqual([["two", "one", "three"]]);
    expect(order(told)).toEqual(["把折扣四捨五入", "Count", "A"]);
    done(told, planned);
    expect(order(told)).toEqual(["把折扣四捨五入", "Count", "A"]);
    expect(topScreen(told.model)).toMatchObject({ selected: 1 });
  });

  test("fast keys are sent one after the other, so that none overtakes another", () => {
    const told = tasksOf(planned).press("J", "J");
    expect(sent(told)).toEqual([["two", "one", "three"]]);
    const state = done(told, planned);
    expect(sent(told).at(-1)).toEqual(["two", "three", "one"]);
    const after = done(told, state);
    expect(after.tasks?.map(({ id }) => id)).toEqual(["two", "three", "one"]);
    expect(order(told)).toEqual(["把折扣四捨五入", "A", "Count"]);
  });

  test("a refusal takes it back and says why", () => {
    const told = tasksOf(planned).press("J");
    const [call] = calls(told);
    if (call?.name !== "send") throw new Error("Nothing was asked.");
    const error = new LoopError("task_not_found", "Task not found: two");
    told.tell({ type: "answered", answer: { name: "send", call, ok: false, error } });
    expect(order(told)).toEqual(["Count", "把折扣四捨五入", "A"]);
    expect(told.model.notice?.text).toBe("Task not found: two");
  });

  test("ends at the ends", () => {
    expect(sent(tasksOf(planned).press("K"))).toEqual([]);
    expect(sent(tasksOf(planned).press("G", "J"))).toEqual([]);
  });
});

test.each([
  [["i"], "ISS-1", { name: "import", id: "cart", issue: "ISS-1" }],
  [["A"], "3", { name: "generate", id: "cart", count: 3 }],
  [["A"], "", { name: "generate", id: "cart", count: undefined }],
])("%s with %j asks for more tasks", (keys, text, call) => {
  const told = tasksOf(planned)
    .press(...keys)
    .type(text)
    .press("enter");
  expect(calls(told)).toEqual([call]);
});

test.each([
  ["i", "", "Name the issue."],
  ["A", "many", "Use a whole number from 1 on."],
])("%s with %j says what is wrong", (key, text, problem) => {
  const told = tasksOf(planned).press(key).type(text).press("enter");
  expect(calls(told)).toEqual([]);
  expect(seen(told.model)).toContain(problem);
});

test("says how many tasks came of it", () => {
  const told = tasksOf(planned).press("A", "enter");
  expect(seen(told.model)).toContain("The agent thinks.");
  const [call] = calls(told);
  if (call?.name !== "generate") throw new Error("Nothing was asked.");
  const value = [DevelopTask.parse({ id: "x", description: "x" })];
  told.tell({ type: "answered", answer: { name: "generate", call, ok: true, value } });
  expect(told.model.notice?.text).toBe("Added 1 task.");
  expect(topScreen(told.model).kind).toBe("tasks");
});
