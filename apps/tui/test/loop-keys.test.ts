import type { Activity, LiveEvent } from "@ccw-loop/core";
import { describe, expect, it } from "vitest";
import { openedState, topScreen } from "../src/model/model.ts";
import { PANES } from "../src/screens/loop/panes/panes.ts";
import { answered, driven, PLAN, realLoop } from "./support/real-loop.ts";
import { looking, recording, type Told, whereState } from "./support/recorded-loop.ts";
import { frameOf } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";

const [SIZE, LARGE, SMALL] = SIZES;
const screen = ({ model }: Told) => frameOf(model).join("\n");
const loopOf = ({ model }: Told) => model.stack.find(({ kind }) => kind === "loop");

/** A running loop whose agent prints those lines. */
function printing(lines: readonly string[], size: { columns: number; rows: number } = SIZE): Told {
  const told = looking(recording("debugged"), size, 60);
  told.model = { ...told.model, opened: told.model.opened && { ...told.model.opened, log: none } };
  return print(told, lines);
}

const none = looking(recording("debugged"), SIZE, 1).model.opened?.log ?? never();

function never(): never {
  throw new Error("A loop that is looked at has a log.");
}

function print(told: Told, lines: readonly string[]): Told {
  return happens(told, { type: "command.output", text: `${lines.join("\n")}\n` });
}

function happens(told: Told, event: Activity["event"]): Told {
  const activity = { at: "2026-11-21T21:34:08.000Z", action: "DEVELOP", event } as const;
  const live: LiveEvent = { kind: "activity", id: "cart", activity };
  return told.tell({ type: "happened", id: "cart", events: [live], leftOut: 0 });
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `line ${from + i}.`);

describe("the agent pane", () => {
  it("follows the newest line until somebody scrolls, and again at the end", () => {
    const told = printing(numbered(100));
    expect(screen(told)).toContain("line 99.");
    told.press("up", "up");
    print(told, numbered(50, 100));
    expect(screen(told)).toContain("line 97.");
    expect(screen(told)).not.toContain("line 149.");
    expect(screen(told)).toContain("of 150");
    expect(screen(told.press("G"))).toContain("line 149.");
    expect(screen(print(told, numbered(1, 150)))).toContain("line 150.");
  });

  it("stays where it was looked at while lines fall out at the top", () => {
    const told = printing(numbered(5000)).press("pageup", "pageup");
    const [seen] = /line \d+\./.exec(screen(told)) ?? [];
    print(told, numbered(1000, 5000));
    expect(screen(told)).toContain(seen);
  });

  it("goes to the first line on g, and follows again on f", () => {
    const told = printing(numbered(300)).press("g");
    expect(screen(told)).toContain("line 0.");
    expect(screen(told.press("f"))).toContain("line 299.");
  });

  it("finds what is typed, newest first, and goes on with n and N around the ends", () => {
    const told = printing([
      ...numbered(40),
      "an Apple",
      ...numbered(40),
      "apples",
      ...numbered(40),
    ]);
    told.press("/").type("apple");
    expect(screen(told)).toContain("/apple");
    expect(screen(told)).toContain("2 lines");
    const at = () => {
      const state = loopOf(told);
      return state?.kind === "loop" ? state.found : undefined;
    };
    told.press("enter");
    expect(at()).toBe(81);
    expect(screen(told)).toContain("│apples");
    expect([told.press("N"), at()].at(1)).toBe(40);
    expect([told.press("N"), at()].at(1)).toBe(81);
    expect([told.press("n"), at()].at(1)).toBe(40);
    expect(screen(told.press("esc"))).not.toContain("/apple");
  });

  it("takes keys of other meanings into the search, and nothing happens to the loop", () => {
    const told = printing(["please stop"]).press("/").type("pxs").press("backspace", "esc");
    expect(told.effects).toEqual([]);
    expect(loopOf(told)).toMatchObject({ searching: false, search: { text: "" } });
  });

  it("copies what is on the screen, or every line that holds what is looked for", () => {
    const told = printing(["one apple", "two pears", "Apples"]);
    expect(told.press("y").effects.at(-1)).toEqual({
      type: "call",
      call: { name: "copy", text: "one apple\ntwo pears\nApples" },
    });
    told.press("/").type("APPLE").press("enter", "y");
    expect(told.effects.at(-1)).toEqual({
      type: "call",
      call: { name: "copy", text: "one apple\nApples" },
    });
  });

  it("exports all that is kept", () => {
    const told = printing(numbered(200)).press("e");
    const text = numbered(200)
      .map((line) => `${line}\n`)
      .join("");
    const file = "cart-agent-2026-11-21T21-34-09.log";
    expect(told.effects).toEqual([{ type: "call", call: { name: "save", file, text } }]);
  });

  it("gives what is said as many rows as it needs, and cuts what is printed", () => {
    const told = printing([`printed ${"x".repeat(100)}end`]);
    expect(screen(told)).not.toContain("end");
    happens(told, { type: "message.delta", text: `${"word ".repeat(30)}end` });
    expect(screen(told)).toContain("word end");
    expect(screen(told.press("z"))).toContain("xend");
  });

  it("shows hostile output as harmless text, with wide characters in their places", () => {
    const told = printing([
      "\u001b]0;owned\u0007\u001b[2Jtitle\u202egnp.exe",
      "漢字かな👨‍👩‍👧 wide",
      "\u001b[31mred\u001b[0m\ttab",
    ]);
    const text = screen(told);
    expect(text).toContain("titlegnp.exe");
    expect(text).toContain("漢字かな👨 wide");
    expect(text).toContain("red  tab");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});

describe("the panes", () => {
  it("take turns where there is room for one, and z gives one the whole body", () => {
    const told = looking(recording("debugged"), SMALL, 400);
    const panes = ["Agent", ...Object.values(PANES).map(({ title }) => title)];
    const titles = panes.map((title, i) => `${title} (${i + 1}/${panes.length})`);
    for (const title of titles) {
      expect(screen(told)).toContain(title);
      told.press("tab");
    }
    expect(screen(told)).toContain(titles[0]);
    expect(screen(told.press("shift+tab"))).toContain(titles.at(-1));
    const large = looking(recording("debugged"), LARGE, 400);
    for (const name of ["History", "Tasks", "Hypotheses", "Tests", "Agent"]) {
      expect(screen(large)).toContain(`╭ ${name} ─`);
    }
    expect(screen(large.press("tab", "tab", "z"))).toContain("Probe: ");
    expect(screen(large)).not.toContain("╭ Tasks ─");
    expect(screen(large.press("esc"))).toContain("╭ Tasks ─");
  });

  it("scroll when they have more than they show", () => {
    const told = looking(recording("debugged"), SIZE).press("tab", "tab", "tab");
    expect(screen(told)).toContain("1-5 of 8");
    expect(screen(told.press("down"))).toContain("2-6 of 8");
    expect(screen(told.press("end"))).toContain("4-8 of 8");
  });
});

describe("what can be asked of a loop", () => {
  it("is paused, resumed and stopped behind a question", async () => {
    const loop = await realLoop({ turns: PLAN });
    const told = looking(loop.seen, SIZE);
    told.press("s");
    expect(told.effects.splice(0)).toContainEqual({ type: "drive", id: "cart" });
    told.press("x");
    expect(screen(told)).toContain('Stop "Add a flag"?');
    await answered(told.press("n"), loop);
    expect((await loop.service.get("cart")).status).toBe("created");
    await answered(told.press("x", "y"), loop);
    expect((await loop.service.get("cart")).status).toBe("failed");
    expect(told.model.notice?.text).toBe("Stopped: the loop is stopped.");
  });

  it("tries a usage limit again at once, and goes on with the loop", async () => {
    const fail = { code: "usage_limit", resets_in: 3600 } as const;
    const turns = [{ once: true, steps: [{ fail }] }, ...PLAN];
    const loop = await realLoop({ turns });
    const run = loop.service.run("cart", {
      waitForLimits: false,
      onEvent: (event) => loop.seen.push(event),
    });
    await run;
    const told = looking(loop.seen, SIZE);
    expect(screen(told)).toContain("goes on in 59m");
    await answered(told.press("r"), loop);
    expect(told.effects).toContainEqual({ type: "drive", id: "cart" });
    expect((await driven(loop)).status).toBe("completed");
  });

  it("says in words what the loop refuses", async () => {
    const loop = await realLoop({ turns: PLAN });
    const told = looking(recording("debugged"), SIZE, 200);
    await answered(told.press("p"), loop);
    expect(told.model.notice).toEqual({
      tone: "bad",
      text: "Cannot pause loop with status: created",
    });
  });

  it("tells who drives it", async () => {
    const told = looking(recording("debugged"), SIZE, 200);
    expect(screen(told)).toContain("driven by cli:machine:1");
    const call = { name: "why", id: "cart" } as const;
    const selection = { action: null, rule: 1, reason: "", guards: [] };
    const value = { ...selection, driven_by: "cli:other:7", undriven_since: null };
    told.tell({ type: "answered", answer: { name: "why", call, ok: true, value } });
    expect(screen(told)).toContain("driven by cli:other:7");
    told.tell({ type: "driving", ids: ["cart"] });
    expect(screen(told)).toContain("driven here");
  });

  it("is left with esc, and is not followed any more", () => {
    const told = looking(recording("debugged"), SIZE, 200).press("esc");
    expect(topScreen(told.model).kind).toBe("home");
    expect(told.effects).toEqual([{ type: "follow", id: null }]);
    expect(openedState(told.model)).toBeUndefined();
  });

  it("is said for a loop that is gone", () => {
    const told = looking(recording("debugged"), SIZE, 200);
    told.tell({ type: "changed", changes: [{ id: "cart", summary: null }] });
    expect(screen(told)).toContain("It was deleted.");
  });

  it("counts down to the time a usage limit ends", () => {
    const events = recording("usage-limit");
    const told = looking(
      events,
      SIZE,
      whereState(events, ({ waiting }) => !!waiting),
    );
    expect(screen(told)).toContain("goes on in 59m 58s");
    told.tell({ type: "ticked", now: told.model.now + 61_000 });
    expect(screen(told)).toContain("goes on in 58m 57s");
  });
});

describe("q", () => {
  it("leaves from a loop as it does from the list", () => {
    const told = looking(recording("debugged"), SIZE, 60).press("q");
    expect(told.effects).toContainEqual({ type: "quit", driven: "release" });
  });

  it("closes a page that is only read, and leaves what it types to a field", () => {
    const told = looking(recording("debugged"), SIZE, 60);
    for (const key of ["w", "t", "T"]) {
      expect(topScreen(told.press(key).model).kind).not.toBe("loop");
      expect(topScreen(told.press("q").model).kind).toBe("loop");
    }
    const searching = looking(recording("debugged"), SIZE, 60).press("/", "q");
    expect(topScreen(searching.model)).toMatchObject({ kind: "loop", searching: true });
    expect(searching.effects).toEqual([]);
  });
});
