import { LoopError } from "@ccw-loop/core";
import type { Finding } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { pushScreen, topScreen } from "../src/model/model.ts";
import { promptFor } from "../src/model/screen-states.ts";
import { GLOBAL_BINDINGS, keysOf } from "../src/screens/bindings.ts";
import { screenOf } from "../src/screens/screens.ts";
import { Told } from "./support/recorded-loop.ts";
import { fittingFrame, heard, seen } from "./support/seen.tsx";
import { SIZES } from "./support/sizes.ts";
import { after, ended, made } from "./support/some-loops.ts";

const running = after(await made({ id: "cart", title: "Fix the 購物車 🛒" }, 60), 30, {
  type: "start",
});

function home(size: (typeof SIZES)[number] = SIZES[0]): Told {
  return new Told(size).list(running);
}

/** The lines of the sheet, without the screen that it lies on. */
function sheetOf({ model }: Told): string {
  const rows = seen(model).split("\n");
  return rows.slice(rows.findIndex((row) => row.startsWith("╭"))).join("\n");
}

describe("confirm", () => {
  test("says what would happen and which key does it", () => {
    expect(sheetOf(home().press("x"))).toMatchInlineSnapshot(`
      "╭ Stop "Fix the 購物車 🛒"? ───────────────────────────────────────────────────╮
      │A running turn ends at once, with every process that it started.              │
      │The loop ends as failed (stopped_by_user). Its files stay, and it can be      │
      │reopened.                                                                     │
      ╰──────────────────────────────────────────────────────────────────────────────╯

       y stop  n no                                                  esc back  ? help"
    `);
  });

  test.each(["n", "esc"])("%s changes nothing", (key) => {
    const told = home().press("x", key);
    expect(topScreen(told.model).kind).toBe("home");
    expect(told.effects).toEqual([]);
  });

  test("no other key says yes", () => {
    const told = home().press("x", "enter", "space", "Y", "x");
    expect(topScreen(told.model).kind).toBe("confirm");
    expect(told.effects).toEqual([]);
  });
});

describe("quit", () => {
  const asked = (ids: readonly string[] = ["cart"]) =>
    home().tell({ type: "driving", ids }).press("q");

  test("names the loops that are driven here and what may become of them", () => {
    expect(sheetOf(asked(["cart", "a", "b", "c", "d"]))).toMatchInlineSnapshot(`
      "╭ Quit? ───────────────────────────────────────────────────────────────────────╮
      │5 loops are driven here: "Fix the 購物車 🛒", "a", "b" and 2 more.            │
      │   p  pause them: they go on when somebody resumes them                       │
      │   l  leave them running: the next supervisor or server takes them up         │
      │ esc  stay here                                                               │
      ╰──────────────────────────────────────────────────────────────────────────────╯

       p pause and quit  l leave running and quit                    esc stay  ? help"
    `);
    expect(heard(asked().model)).toContain('1 loop is driven here: "Fix the 購物車 🛒".');
  });

  test.each([
    ["p", [{ type: "quit", driven: "pause" }]],
    ["l", [{ type: "quit", driven: "release" }]],
    ["ctrl+c", [{ type: "quit", driven: "release" }]],
    ["esc", []],
    ["q", []],
  ])("%s", (key, effects) => {
    expect(asked().press(key).effects).toEqual(effects);
  });
});

describe("help", () => {
  test("tells every key of the screen below and what works everywhere", () => {
    const told = home();
    const top = topScreen(told.model);
    const bindings = [...screenOf(top).bindings(top, told.model), ...GLOBAL_BINDINGS];
    const text = heard(told.press("?").model);
    for (const binding of bindings) {
      expect(text).toContain(binding.label);
      expect(keysOf(binding, {})).not.toHaveLength(0);
    }
    expect(seen(told.model)).toMatchInlineSnapshot(`
      "╭ Keys ─────────────────────────────────────────────────────────── 1-19 of 31 ─╮
      │ Loops                                                                        │
      │   enter        open                     n            new                     │
      │   r s          drive                    p            pause                   │
      │   x            stop                                                          │
      │                                                                              │
      │ List                                                                         │
      │   /            search                   f            filter                  │
      │   o            sort                                                          │
      │                                                                              │
      │ Program                                                                      │
      │   q            quit                     D            doctor                  │
      │                                                                              │
      │ Move                                                                         │
      │   ↑ k          up                       ↓ j          down                    │
      │   PgUp ctrl+u  page up                  PgDn ctrl+d  page down               │
      │   g home       top                      G end        end                     │
      │                                                                              │
      │ Everywhere                                                                   │
      │   ? ctrl+o     help                     :            actions                 │
      ╰──────────────────────────────────────────────────────────────────────────────╯

                                                                     esc back  ? help"
    `);
  });

  test("tells keys as they are configured", () => {
    const told = home();
    told.model = { ...told.model, keys: { "home.pause": ["P", "ctrl+z"], "home.new": ["+"] } };
    const text = heard(told.press("?").model);
    expect(text).toMatch(/ P ctrl\+z +pause/);
    expect(text).toMatch(/ \+ +new/);
  });

  test.each(SIZES)("scrolls to its end at $columns by $rows", (size) => {
    const told = home(size).press("?", "G");
    expect(seen(told.model)).toContain("its files cannot be read");
    expect(seen(told.press("g").model)).toContain(" Loops");
  });

  test.each(["esc", "q", "?"])("%s goes back", (key) => {
    expect(topScreen(home().press("?", key).model).kind).toBe("home");
  });
});

describe("doctor", () => {
  const FINDINGS: readonly Finding[] = [
    { check: "node", status: "ok", message: "Node 24.15.0", next: null },
    {
      check: "settings",
      status: "note",
      message: "Unknown \u001B[31msetting.",
      next: "Remove it.",
    },
    {
      check: "tests",
      status: "problem",
      message: "No test command was found.",
      next: 'Name the command with --verify CMD, or accept it with --waive-tests "REASON" when there are none.',
    },
  ];
  const call = { name: "doctor" } as const;
  const looked = (told: Told, value = FINDINGS) =>
    told.tell({ type: "answered", answer: { name: "doctor", call, ok: true, value } });

  test("looks at once, and tells what it found with what to do", () => {
    const told = home().press("D");
    expect(told.effects).toEqual([{ type: "call", call }]);
    expect(seen(told.model)).toContain("Looking at what a loop needs here…");
    expect(seen(looked(told).model).trimEnd()).toMatchInlineSnapshot(`
      "╭ Doctor ──────────────────────────────────────────────────────────────────────╮
      │ 1 problem keeps a loop from being proven here.                               │
      │                                                                              │
      │ ok      node        Node 24.15.0                                             │
      │ note    settings    Unknown setting.                                         │
      │                     Remove it.                                               │
      │ problem tests       No test command was found.                               │
      │                     Name the command with --verify CMD, or accept it with    │
      │                     --waive-tests "REASON" when there are none.              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      │                                                                              │
      ╰──────────────────────────────────────────────────────────────────────────────╯

       r look again                                                  esc back  ? help"
    `);
    expect(heard(told.model)).toContain("No test command was found.");
  });

  test("says that a loop can work here, and looks again", () => {
    const told = looked(home().press("D"), FINDINGS.slice(0, 2));
    expect(seen(told.model)).toContain("A loop can work here.");
    expect(told.press("r").effects).toHaveLength(2);
    expect(seen(told.model)).toContain("Looking");
    expect(told.press("r").effects).toHaveLength(2);
  });

  test("a failure is told", () => {
    const error = new LoopError("internal", "It broke.");
    const told = home().press("D");
    told.tell({ type: "answered", answer: { name: "doctor", call, ok: false, error } });
    expect(seen(told.model)).toContain("It broke.");
  });

  test("of a server it says where to look", () => {
    const told = home();
    told.model = { ...told.model, place: { name: "http://127.0.0.1:7000", drives: false } };
    expect(told.press("D").effects).toEqual([]);
    expect(seen(told.model)).toContain(
      "The loops of http://127.0.0.1:7000 work on the machine of that",
    );
    expect(seen(told.model)).toContain("ccw-loop doctor");
  });
});

describe("a limit", () => {
  const asking = (state = running) => {
    const told = home().open(state);
    const prompt = promptFor({ name: "edit-limit", id: state.loop_id });
    told.model = pushScreen(told.model, prompt);
    return told;
  };

  test.each([
    ["iterations 20", { max_iterations: 20 }],
    ["Turns=300", { limits: { max_turns: 300 } }],
    ["tokens 30_000_000", { limits: { max_tokens: 30_000_000 } }],
    ["stalled 20", { limits: { max_stalled: 20 } }],
    ["time 6h", { limits: { max_duration_ms: 21_600_000 } }],
    [" cost: 2.50 ", { limits: { max_cost_usd: 2.5 } }],
  ])("%s", (text, changes) => {
    const call = { name: "send", id: "cart", command: { type: "edit", changes } };
    expect(asking().type(text).press("enter").effects).toEqual([{ type: "call", call }]);
  });

  test.each([
    ["", "Begin with one of: iterations, turns, tokens, stalled, time, cost."],
    ["20", "Begin with one of:"],
    ["constructor 1", "Begin with one of:"],
    ["iterations", "Give iterations a whole number from 1 on."],
    ["iterations 2 3", "Give iterations a whole number from 1 on."],
    ["time 6", "Give time a duration like 90s, 45m, 2h or 1d."],
    ["cost 0", "Give cost an amount in US dollars, such as 2.50."],
  ])("%j is not taken", (text, problem) => {
    const told = asking().type(text).press("enter");
    expect(told.effects).toEqual([]);
    expect(heard(told.model)).toContain(problem);
    expect(heard(told.type("x").model)).not.toContain(problem);
  });

  test("of a loop that has ended, one is told how to go on", () => {
    const failed = ended("out-of-iterations", "cart", "Fix the cart");
    const told = asking(failed).type("iterations 20").press("enter");
    const [effect] = told.effects;
    if (effect?.type !== "call" || effect.call.name !== "send")
      throw new Error("Nothing was sent.");
    const { call } = effect;
    told.tell({ type: "answered", answer: { name: "send", call, ok: true, value: failed } });
    expect(told.model.notice?.text).toBe("Changed. Reopen it to go on.");
    expect(topScreen(told.model).kind).toBe("loop");
  });
});

test.each(SIZES)("no line of theirs is longer than $columns columns", (size) => {
  const told = home(size).tell({
    type: "driving",
    ids: Array.from({ length: 50 }, (_, i) => `loop-${i}`),
  });
  for (const keys of [["q"], ["esc", "x"], ["esc", "?"], ["G"], ["esc", "D"]]) {
    fittingFrame(told.press(...keys).model);
  }
});
