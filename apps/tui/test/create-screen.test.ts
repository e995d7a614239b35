import { LoopError } from "@ccw-loop/core";
import { describe, expect, test } from "vitest";
import type { Size } from "../src/components/line.ts";
import type { Calls } from "../src/model/effect.ts";
import { type Place, popScreen, topScreen } from "../src/model/model.ts";
import { Told } from "./support/recorded-loop.ts";
import { fittingFrame, heard, seen } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";
import { made } from "./support/some-loops.ts";

const [USUAL, LARGE, SMALL] = SIZES;

function form(size: Size = USUAL, defaults?: Place["defaults"]): Told {
  const told = new Told(size).list();
  if (defaults) told.model = { ...told.model, place: { ...told.model.place, defaults } };
  return told.press("n");
}

/** Moves to the field with that label, which the screen shows. */
function to(told: Told, label: string): Told {
  for (let i = 0; i < 20; i += 1) {
    const row = heard(told.model)
      .split("\n")
      .find((one) => one.startsWith("> "));
    if (row?.startsWith(`> ${label}:`)) return told;
    told.press("tab");
  }
  throw new Error(`There is no field ${label}.`);
}

const asked = (told: Told) =>
  told.effects.flatMap((effect) =>
    effect.type === "call" && effect.call.name === "create" ? [effect.call] : [],
  );

test("at 80 by 24 all fields are there, with what holds when nothing is typed", () => {
  expect(seen(form().model)).toMatchInlineSnapshot(`
    " ▸ Task             what the loop is to do
       Title           the beginning of the task
       Agent           codex
       Model           the agent's own choice
       Test command    found out
       Mode            [ interactive ]  auto
       Iterations      10
       Time            4h of work
       Tokens          20 million
       Cost in $       no bound
       Tags            words with commas between them
       Own worktree    [ no ]  yes
       Start at once   [ yes ]  no





    ────────────────────────────────────────────────────────────────────────────────
     What the agent is to do. It may be empty where a title says it all. @FILE
     stands for the text of a file.

     enter next  ctrl+s create  alt+enter new line           esc leave  ctrl+o help"
  `);
});

test("at 60 by 16 the field that has the keys stays in sight", () => {
  expect(seen(to(form(SMALL), "Start at once").model)).toMatchInlineSnapshot(`
    "   Agent           codex
       Model           the agent's own choice
       Test command    found out
       Mode            [ interactive ]  auto
       Iterations      10
       Time            4h of work
       Tokens          20 million
       Cost in $       no bound
       Tags            words with commas between them
       Own worktree    [ no ]  yes
     ▸ Start at once   [ yes ]  no
    ────────────────────────────────────────────────────────────
     Or make it only, and start it later.

     enter create  ctrl+s create              esc leave  ? help"
  `);
});

test.each([SMALL, USUAL, LARGE])("no line is longer than $columns columns", (size) => {
  const told = form(size).type("漢字 ".repeat(60)).press("tab").type("🛒".repeat(100));
  fittingFrame(to(told, "Tokens").type("many").press("ctrl+s").model);
});

test("a title or a task is enough; everything else is left to the service", () => {
  const told = form().type("Add a flag").press("ctrl+s");
  expect(asked(told)).toEqual([
    {
      name: "create",
      drive: true,
      spec: { description: "Add a flag", limits: {}, settings: { mode: "interactive" } },
    },
  ]);
  expect(seen(told.model)).toContain("Making the loop…");
});

test("the agents that are registered are named, and no other name is taken", () => {
  const agents = [
    { name: "codex", describe: "OpenAI Codex" },
    { name: "scripted", argument: "FILE", describe: "replays a file" },
    { name: "mine", describe: "/home/ada/mine.js" },
  ];
  const named = (agent: string, known?: typeof agents) => {
    const told = form(LARGE);
    told.model = popScreen(told.model);
    const { place } = told.model;
    if (known) told.model = { ...told.model, place: { ...place, agents: known } };
    to(told.press("n").type("Add a flag"), "Agent");
    const about = seen(told.model);
    return { about, told: told.type(agent).press("ctrl+s") };
  };
  const { about, told } = named("gpt", agents);
  expect(about).toContain(
    "One of: codex (OpenAI Codex), scripted:FILE (replays a file), mine (/home/ada/mine.js).",
  );
  expect(asked(told)).toEqual([]);
  expect(seen(told.model)).toContain(
    "No such agent is registered; use codex, scripted:FILE or mine.",
  );
  for (const name of ["mine", "scripted:/tmp/a.json"]) {
    expect(asked(named(name, agents).told)).toMatchObject([
      { spec: { settings: { agent: name } } },
    ]);
  }
  // Elsewhere the server knows which there are.
  expect(asked(named("gpt").told)).toHaveLength(1);
});

test("every field gets into the loop as the rules of the service want it", async () => {
  const told = form().type("Add a flag");
  to(told, "Title").type(" Flag ");
  to(told, "Agent").type("scripted:/tmp/a.json");
  to(told, "Model").type("gpt-6");
  to(told, "Test command").type("npm test");
  to(told, "Mode").press("space");
  to(told, "Iterations").type("7");
  to(told, "Time").type("90m");
  to(told, "Tokens").type("5000");
  to(told, "Cost in $").type("2.50");
  to(told, "Tags").type("cart, ui,cart,");
  to(told, "Own worktree").press("right");
  to(told, "Start at once").press("left", "enter");
  expect(asked(told)).toEqual([
    {
      name: "create",
      drive: false,
      spec: {
        description: "Add a flag",
        title: "Flag",
        max_iterations: 7,
        limits: { max_duration_ms: 5_400_000, max_tokens: 5000, max_cost_usd: 2.5 },
        settings: {
          agent: "scripted:/tmp/a.json",
          model: "gpt-6",
          verify: "npm test",
          mode: "auto",
        },
        tags: ["cart", "ui"],
        worktree: true,
      },
    },
  ]);
  const { worktree: _, ...spec } = asked(told)[0]?.spec ?? { description: "" };
  expect(await made(spec)).toMatchObject({
    title: "Flag",
    max_iterations: 7,
    tags: ["cart", "ui"],
  });
});

describe("validation", () => {
  test.each([
    ["Agent", "a".repeat(4097), "Use 4096 characters or less."],
    ["Iterations", "0", "Use 1 or more."],
    ["Iterations", "1.5", "Use a whole number."],
    ["Time", "4 hours", "Use a duration like 90s, 45m, 2h or 1d."],
    ["Tokens", "-1", "Use a whole number from 1 on."],
    ["Cost in $", "free", "Use an amount in US dollars, such as 2.50."],
  ])("%s cannot be %j", (label, text, problem) => {
    const told = to(form(), label).tell({ type: "pasted", text });
    expect(seen(told.model)).not.toContain(problem);
    expect(seen(told.press("tab").model)).toContain(problem);
    expect(heard(told.model)).toContain(problem);
    told.press("shift+tab", "ctrl+u");
    expect(seen(told.model)).not.toContain(problem);
  });

  test("a form without a task is not sent, and goes to the first field that is wrong", () => {
    const told = to(form(), "Tokens").type("x").press("ctrl+s");
    expect(asked(told)).toEqual([]);
    expect(topScreen(told.model)).toMatchObject({ focus: "task" });
    expect(seen(told.model)).toContain("Say what the loop is to do.");
    expect(seen(told.model)).toContain("Use a whole number from 1 on.");
  });
});

describe("what comes of it", () => {
  const sent = () => {
    const told = form().type("Add a flag").press("ctrl+s");
    return { told, call: asked(told)[0] as Calls["create"]["args"] & { name: "create" } };
  };

  test("the new loop is opened in the place of the form", async () => {
    const { told, call } = sent();
    const value = await made({ id: "flag" });
    told.tell({ type: "answered", answer: { name: "create", call, ok: true, value } });
    expect(told.model.stack.map(({ kind }) => kind)).toEqual(["home", "loop"]);
    expect(told.effects).toContainEqual({ type: "follow", id: "flag" });
  });

  test("a refusal stays on the form, and nothing that was typed is lost", () => {
    const { told, call } = sent();
    const error = new LoopError("invalid_input", "A worktree needs git.");
    told.tell({ type: "answered", answer: { name: "create", call, ok: false, error } });
    expect(seen(told.model)).toContain("A worktree needs git.");
    expect(seen(told.model)).toContain("Add a flag");
    expect(asked(told.press("ctrl+s"))).toHaveLength(2);
  });

  test("it is not sent twice while it is under way", () => {
    const { told } = sent();
    expect(asked(told.press("ctrl+s", "enter").type("more"))).toHaveLength(1);
  });
});

describe("esc", () => {
  test("leaves an empty form at once", () => {
    expect(topScreen(form().press("esc").model).kind).toBe("home");
  });

  test("asks before it throws away what was typed", () => {
    const told = form().type("x").press("esc");
    expect(seen(told.model)).toContain("Throw away what you typed?");
    expect(topScreen(told.press("n").model).kind).toBe("create");
    expect(topScreen(told.press("esc", "y").model).kind).toBe("home");
  });
});

test("begins with what the configuration says, and keeps what the form has no field for", () => {
  const defaults = {
    max_iterations: 3,
    limits: { max_duration_ms: 7_200_000 },
    settings: { agent: "codex", mode: "auto" as const, flaky_reruns: 5, verify: "make" },
  };
  const told = form(USUAL, defaults);
  expect(topScreen(told.press("esc").model).kind).toBe("home");
  told.press("n").type("Go");
  to(told, "Test command").press("ctrl+u", "ctrl+s");
  expect(asked(told)[0]?.spec).toEqual({
    description: "Go",
    ...defaults,
    settings: { agent: "codex", mode: "auto", flaky_reruns: 5 },
  });
});

test("begins with the agent that was found to work, unless another one is typed meanwhile", () => {
  const call = { name: "agent" } as const;
  const found = (told: Told) =>
    told.tell({ type: "answered", answer: { ...call, call, ok: true, value: "gemini" } });
  const told = form();
  expect(told.effects).toContainEqual({ type: "call", call });
  expect(heard(found(told).model)).toMatch(/^- Agent: gemini$/m);
  expect(topScreen(found(told).press("esc").model).kind).toBe("home");
  expect(heard(found(to(form(), "Agent").type("qwen")).model)).toMatch(/Agent: qwen$/m);
});

test("help stays within reach of a field, which takes a question mark as text", () => {
  const told = form().type("Why?");
  expect(seen(told.model)).toContain("ctrl+o help");
  told.press("ctrl+o");
  expect(topScreen(told.model)).toMatchObject({ kind: "help", of: "create" });
  expect(heard(told.press("esc").model)).toContain("Task: Why?");
});
