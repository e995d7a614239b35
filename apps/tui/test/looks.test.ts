import { describe, expect, test } from "vitest";
import { bars, courseLines } from "../src/components/gauge.tsx";
import { chopped, textOf } from "../src/components/line.ts";
import { topScreen } from "../src/model/model.ts";
import { keysOf } from "../src/screens/bindings.ts";
import { screenOf } from "../src/screens/screens.ts";
import { answerAll } from "./support/answers.ts";
import { looking, recording, type Told } from "./support/recorded-loop.ts";
import { frameOf, seen, spotOf } from "./support/seen.tsx";
import { withSquare } from "./support/square.ts";

test("lines of code are cut where they are full, and nothing of them is lost", () => {
  expect(chopped("  const a = 購物車;", 10)).toEqual(["  const a ", "= 購物車;"]);
  expect(chopped("", 10)).toEqual([""]);
});

describe("a course", () => {
  test("is a row of bars, the newest last", () => {
    expect(bars([0, 0.5, 1], 1, { columns: 2, rows: 1 })).toEqual(["▅█"]);
    const row = courseLines(
      { name: "tokens", values: [1, 2], top: 2, now: "3" },
      { columns: 40, rows: 1 },
    );
    expect(row.map(textOf)).toEqual(["tokens  ▅█ 3"]);
  });

  test("is a chart where there are rows", () => {
    expect(bars([0, 0.5, 1], 1, { columns: 6, rows: 2 })).toEqual(["  ▁▁██", "▁▁████"]);
  });
});

/** The recorded loop at its end. */
const debugged = (columns = 80, rows = 24) => looking(recording("debugged"), { columns, rows });

test("history tells the tokens of each action, and a pane alone on the screen draws them", () => {
  expect(seen(debugged(120, 40).model)).toMatch(/tokens {2}[▁-█]+ 22k/);
  const told = debugged().press("tab", "tab", "tab", "tab", "z");
  expect(seen(told.model)).toMatch(/tokens {2}22k\W*\n│[ ▁-█]+/);
});

test("the tests of the start are told before any others were run", () => {
  const events = recording("debugged");
  const at = events.findIndex(
    (event) => event.kind === "recorded" && event.recorded.event.type === "baseline.measured",
  );
  const told = looking(events, { columns: 120, rows: 40 }, at + 1);
  expect(seen(told.model)).toMatch(/baseline {2}1 passed, 4 failed[\s\S]*Red at the start: 4/);
});

describe("the square", () => {
  test("opens the tests of each of its runs", () => {
    const told = withSquare(debugged()).press("v", "enter");
    expect(seen(told.model)).toMatch(/Square: verdict[\s\S]*Green: 5/);
    expect(seen(told.press("tab").model)).toMatch(
      /Square: counterfactual[\s\S]*Witnesses, red here and green now: 3[\s\S]*takes|Red: 3/,
    );
    expect(seen(told.press("tab").model)).toContain("Square: present");
    expect(seen(told.press("tab").model)).toMatch(/Square: baseline[\s\S]*Red: 4/);
    expect(seen(told.press("shift+tab").model)).toContain("Square: present");
  });

  test("is opened from the tests of a loop as well", () => {
    const told = withSquare(debugged()).press("tab", "tab", "tab", "enter");
    expect(topScreen(told.model).kind).toBe("square");
  });

  test("has no key where no proof was made", () => {
    const told = debugged().press("v", "enter");
    expect(topScreen(told.model).kind).toBe("receipt");
  });
});

const LONG = `const total = ${"quantity * price + ".repeat(10)}0;`;
const PATCH = ["a.js", "b/cart.js"]
  .map((path) => `diff --git a/${path} b/${path}\n@@ -1 +1,40 @@\n+${LONG}\n${"+1\n".repeat(40)}`)
  .join("");

/** A diff of two files. */
function diffed(columns: number): Told {
  const told = debugged(columns, 30).press("T");
  answerAll(told, true);
  told.press("enter");
  const call = told.effects
    .flatMap((effect) => (effect.type === "call" ? [effect.call] : []))
    .at(-1);
  if (call?.name !== "diff") throw new Error("No diff was asked for.");
  const files = ["a.js", "b/cart.js"].map((path) => {
    return { path, kind: "modified", added: 41, removed: 0 } as const;
  });
  const value = { from: call.from, to: call.to, files, patch: PATCH };
  return told.tell({ type: "answered", answer: { name: "diff", call, ok: true, value } });
}

describe("a diff", () => {
  test("has its files on the left where there is room, with the one that is read marked", () => {
    const told = diffed(120);
    expect(seen(told.model)).toMatch(/╭ Files ─+╮╭ Checkpoint \d+ to \d+ ─/);
    const marked = (model: Told["model"]) =>
      frameOf(model).filter((row) => /│changed .*│[@+d]/.test(row));
    expect(marked(told.model)).toHaveLength(2);
    expect(seen(told.model)).toContain("diff --git a/a.js");
    expect(seen(told.press("n").model)).not.toContain("diff --git a/a.js");
    expect(seen(diffed(80).model)).not.toContain("╭ Files");
  });

  test("goes to the file that a mouse clicks", () => {
    const told = diffed(120);
    told.tell({ type: "pointed", kind: "click", spot: spotOf(told.model, "cart.js") });
    expect(seen(told.model)).not.toContain("diff --git a/a.js");
    expect(seen(told.model)).toContain("diff --git a/b/cart.js");
  });

  test.each([80, 120])("wraps long lines when it is asked to, in %i columns", (columns) => {
    const told = diffed(columns);
    const whole = () =>
      frameOf(told.model)
        .join("")
        .replaceAll(/[│ ]|changed\S*b?\/?\S*\.js/g, "");
    expect(whole()).not.toContain("price+0;");
    told.press("w");
    expect(seen(told.model)).toContain("w cut lines");
    expect(frameOf(told.model).some((row) => row.includes("0;"))).toBe(true);
    expect(seen(told.press("w").model)).toContain("w wrap lines");
  });
});

test("the timeline begins at the newest checkpoint, so that its keys mean something", () => {
  const told = debugged().press("T");
  answerAll(told, true);
  const top = topScreen(told.model);
  const keys = screenOf(top)
    .bindings(top, told.model)
    .flatMap((binding) => keysOf(binding, {}));
  expect(keys).toEqual(expect.arrayContaining(["enter", "R", "F"]));
});
