import { type LoopCommand, recommendedChoice, TEST_ANSWERS } from "@ccw-loop/core";
import { describe, expect, it, vi } from "vitest";
import type { Size } from "../src/components/line.ts";
import { openedState, topScreen } from "../src/model/model.ts";
import { answered, caughtUp, driven, PLAN, type RealLoop, realLoop } from "./support/real-loop.ts";
import { looking, recording, type Told, whereState } from "./support/recorded-loop.ts";
import { fittingFrame, frameOf } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";

const SOON = { timeout: 10_000 };
const [SIZE] = SIZES;
const kinds = ({ model }: Told) => model.stack.map(({ kind }) => kind);
const screen = ({ model }: Told) => frameOf(model).join("\n");

/** A loop in interactive mode that waits at its menu. */
async function atMenu(): Promise<RealLoop & { told: Told }> {
  const loop = await realLoop({ turns: PLAN, spec: { settings: { mode: "interactive" } } });
  await driven(loop);
  return { ...loop, told: looking(loop.seen, SIZE) };
}

describe("a question of the loop that is looked at", () => {
  const events = recording("objections");
  const asked = whereState(events, ({ waiting }) => waiting !== undefined);
  const before = () => looking(events, SIZE, asked - 1);
  const ask = (told: Told) =>
    told.tell({ type: "happened", id: "cart", events: events.slice(asked - 1, asked), leftOut: 0 });

  it("opens by itself, once", () => {
    const told = ask(before());
    expect(kinds(told)).toEqual(["home", "loop", "answer"]);
    told.press("esc");
    told.tell({ type: "happened", id: "cart", events: [], leftOut: 0 });
    expect(kinds(told)).toEqual(["home", "loop"]);
    expect(kinds(told.press("a"))).toEqual(["home", "loop", "answer"]);
  });

  it.each([
    ["a search that is being typed", ["/", "f"], "loop"],
    ["a line to the agent", ["i", "h"], "prompt"],
    ["another screen", ["w"], "why"],
  ])("takes no key from %s", (_, keys, kind) => {
    const told = looking(recording("debugged"), SIZE, 200).press(...keys);
    const [first] = told.model.stack.slice(-1);
    const waiting = { kind: "input", since: "2026-11-21T21:34:14.000Z", prompt: "Which?" } as const;
    told.record({ type: "waiting.started", at: waiting.since, waiting });
    expect(topScreen(told.model)).toEqual(first);
    expect(first?.kind).toBe(kind);
  });

  it("goes away with a word when somebody else answers it", () => {
    const told = ask(before());
    told.record({ type: "waiting.ended", at: "2026-11-21T21:35:20.000Z", reason: "accept" });
    expect(kinds(told)).toEqual(["home", "loop"]);
    expect(told.model.notice?.text).toContain("The question is gone");
  });

  it("is answered with the option that is selected", () => {
    const told = ask(before()).press("enter");
    expect(told.effects).toEqual([]);
    expect(told.model.notice?.text).toContain("Choose an answer");
    told.press("j", "j", "enter");
    const command = { type: "answer", text: "reject" };
    expect(told.effects).toEqual([{ type: "call", call: { name: "send", id: "cart", command } }]);
    expect(screen(told)).toContain("Sending …");
    expect(told.press("enter").effects).toHaveLength(1);
  });

  it("scrolls when it is long, and its answers stay on the screen", () => {
    const told = ask(looking(events, SIZES[2], asked - 1));
    const first = screen(told);
    expect(first).toContain("The tests pass, but this alone");
    expect(first).toContain(" reject");
    const down = screen(told.press("pagedown", "pagedown", "pagedown"));
    expect(down).toContain("Answer accept to let it");
    expect(down).toContain(" reject");
    expect(down).not.toContain("The tests pass, but this alone does not prove the work:");
  });
});

describe("a question that takes any text", () => {
  const noProgress = () => {
    const events = recording("no-progress");
    return looking(
      events,
      SIZE,
      whereState(events, ({ waiting }) => waiting !== undefined),
    );
  };

  it("takes every letter, also those that are keys elsewhere", () => {
    const told = noProgress().type("Just sum cents, p?").press("enter");
    expect(told.effects).toEqual([
      {
        type: "call",
        call: {
          name: "send",
          id: "cart",
          command: { type: "answer", text: "Just sum cents, p?" },
        },
      },
    ]);
  });

  it("refuses nothing at all with the loop's own words, and sends nothing", () => {
    const told = noProgress().press("enter");
    expect(told.effects).toEqual([]);
    expect(told.model.notice?.text).toBe("The answer is empty.");
  });
});

describe("the question for tests", () => {
  const since = "2026-11-21T21:34:14.000Z";
  const options = [...TEST_ANSWERS];
  const waiting = { kind: "input", about: "tests", since, prompt: "No tests.", options } as const;
  const asked = () =>
    looking(recording("debugged"), SIZE, 200).record({
      type: "waiting.started",
      at: since,
      waiting,
    });
  const sent = (command: LoopCommand) => ({
    type: "call" as const,
    call: { name: "send" as const, id: "cart", command },
  });

  it("offers a waiver by name, and asks for its reason then", () => {
    const told = asked();
    expect(screen(told)).toContain("waive_tests: continue without tests");
    told.press("down", "down", "enter");
    expect(told.effects).not.toContainEqual(expect.objectContaining({ type: "call" }));
    expect(screen(told)).toContain("Why there is nothing to test");
    told.type("only documentation").press("enter");
    const command = { type: "answer", option: "waive_tests", text: "only documentation" } as const;
    expect(told.effects).toContainEqual(sent(command));
  });

  it("goes back to the options from a text", () => {
    const told = asked().press("down", "down", "enter", "esc", "up", "enter").type("make test");
    told.press("enter");
    const command = { type: "answer", option: "verify", text: "make test" } as const;
    expect(told.effects).toContainEqual(sent(command));
  });
});

describe("a question with hostile text and many options", () => {
  const since = "2026-11-21T21:34:14.000Z";
  const options = Array.from({ length: 60 }, (_, i) => `\u001b[2Joption ${i} 漢字`);
  const prompt = `\u001b]0;owned\u0007Which\u202e one?\n${"long ".repeat(400)}`;
  const waiting = { kind: "approval", since, prompt, options } as const;
  const asked = (size: Size) =>
    looking(recording("debugged"), size, 200).record({
      type: "waiting.started",
      at: since,
      waiting,
    });

  it.each(SIZES)("fits $columns x $rows, with the selected one in sight", (size) => {
    const told = asked(size);
    for (let at = 0; at < 60; at++) {
      const text = fittingFrame(told.press("down").model).join("");
      expect(text).toContain(` option ${at} 漢字`);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it("answers with the very option, whatever is in it", () => {
    const told = asked(SIZE).press("down", "down", "enter");
    expect(told.effects).toContainEqual({
      type: "call",
      call: { name: "send", id: "cart", command: { type: "answer", text: options[1] } },
    });
  });
});

describe("the menu", () => {
  it("goes through a whole loop, choice by choice", async () => {
    const loop = await atMenu();
    const { told } = loop;
    for (const digit of ["1", "3", "5"]) {
      expect(topScreen(told.model).kind).toBe("menu");
      await answered(told.press(digit), loop);
      expect(told.effects.some(({ type }) => type === "drive")).toBe(true);
      told.effects.length = 0;
      await driven(loop);
      await caughtUp(told, loop);
    }
    expect(kinds(told)).toEqual(["home", "loop"]);
    expect(screen(told)).toContain("proven: The project's own tests passed.");
  });

  it("begins at what the rules would do", async () => {
    const { told } = await atMenu();
    const selected = () => {
      const [menu] = told.model.stack.filter(({ kind }) => kind === "menu");
      return menu?.kind === "menu" ? menu.selected : undefined;
    };
    expect(selected()).toBe(0);
    const state = openedState(told.model);
    if (!state?.skill_state) throw new Error("The loop is not shown.");
    const tasks = state.skill_state.develop.tasks.map((task) => ({
      ...task,
      status: "completed" as const,
    }));
    const develop = { ...state.skill_state.develop, tasks };
    expect(recommendedChoice({ ...state, skill_state: { ...state.skill_state, develop } })).toBe(
      "validate",
    );
  });

  it("says why a choice is refused, and sends nothing", async () => {
    const { told } = await atMenu();
    told.press("5");
    expect(told.effects).toEqual([]);
    expect(screen(told)).toContain("COMPLETE needs a passing VALIDATE");
    expect(screen(told.press("up"))).not.toContain("COMPLETE needs a passing VALIDATE");
  });

  it("shows the progress on 4, and is back on a", async () => {
    const { told } = await atMenu();
    expect(kinds(told.press("4"))).toEqual(["home", "loop"]);
    expect(kinds(told.press("a"))).toEqual(["home", "loop", "menu"]);
  });

  it("leaves the loop on 6", async () => {
    const loop = await atMenu();
    await answered(loop.told.press("6"), loop);
    await caughtUp(loop.told, loop);
    expect(screen(loop.told)).toContain("Exited: the loop is exited.");
    expect(kinds(loop.told)).toEqual(["home", "loop"]);
  });

  it("stays open with the reason when the service refuses what was possible a moment ago", async () => {
    const loop = await atMenu();
    await loop.service.send("cart", { type: "pause" });
    await answered(loop.told.press("1"), loop);
    expect(topScreen(loop.told.model)).toMatchObject({ kind: "menu", busy: false });
    expect(screen(loop.told)).toContain("Cannot choose loop with status: paused");
  });
});

describe("a line to the agent", () => {
  it("reaches its turn", async () => {
    const loop = await realLoop({
      turns: [
        ...PLAN.slice(0, 1),
        {
          action: "DEVELOP",
          when: "# ACTION: DEVELOP",
          steps: [
            { say: "thinking" },
            { expect_steer: "hurry" },
            { write: { path: "flag.js", content: "1" } },
          ],
          answer: { message: "done", state_updates: { summary: "hurried" } },
        },
      ],
    });
    const run = driven(loop);
    await vi.waitFor(() => expect(JSON.stringify(loop.seen)).toContain("thinking"), SOON);
    const told = looking(loop.seen, SIZE);
    expect(screen(told)).toContain("thinking");
    told.press("i").type("hurry up").press("enter");
    expect(screen(told)).toContain("Sending …");
    await answered(told, loop);
    expect(told.model.notice?.text).toBe("The agent was told.");
    expect(topScreen(told.model).kind).toBe("loop");
    expect((await run).status).toBe("completed");
  });

  it("is kept, with the reason, when no turn takes it", async () => {
    const loop = await realLoop({ turns: PLAN });
    const events = recording("debugged");
    const told = looking(events, SIZE, 200).press("i").type("hurry").press("enter");
    await answered(told, loop);
    expect(topScreen(told.model)).toMatchObject({
      kind: "prompt",
      purpose: { name: "steer" },
      field: { text: "hurry" },
      sent: undefined,
    });
    expect(screen(told)).toContain("No turn of loop cart runs");
  });
});
