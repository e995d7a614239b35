import type { LoopState } from "@ccw-loop/core";
import { initialProgress } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { type Size, textOf } from "../src/components/line.ts";
import { squareLines } from "../src/components/square.ts";
import { topScreen } from "../src/model/model.ts";
import { openLoop } from "../src/screens/loop/navigation.ts";
import { ALL, home, running } from "./support/home.ts";
import type { Told } from "./support/recorded-loop.ts";
import { fittingFrame, seen } from "./support/seen.tsx";
import { NOW } from "./support/some-loops.ts";
import { SQUARE } from "./support/square.ts";

const WIDE = { columns: 120, rows: 40 };
const WIDEST = { columns: 200, rows: 60 };

/** A home that shows the selected loop beside the list, as the program opens it. */
function wideHome(size: Size): Told {
  const told = home(size);
  told.model = { ...told.model, previews: true };
  return told;
}

const port = ALL.find(({ loop_id }) => loop_id === "port") ?? running;
const tick = (told: Told) => told.tell({ type: "ticked", now: told.model.now + 1000 });
const read = (told: Told, state: LoopState) =>
  told.tell({ type: "opened", id: state.loop_id, progress: initialProgress(state) });

describe("a wide home", () => {
  test.each([WIDE, WIDEST])("has the selected loop beside the list at $columns×$rows", (size) => {
    const told = tick(wideHome(size));
    const [first] = told.effects;
    expect(first).toEqual({ type: "follow", id: "port" });
    expect(seen(told.model)).toContain("The loop is being read.");
    expect(fittingFrame(read(told, port).model).join("\n")).toMatch(
      /╭ Serve it ─[\s\S]*Which port\?[\s\S]*Tests[\s\S]*Tasks/,
    );
  });

  test("follows what is selected at the next tick, not at every key", () => {
    const told = tick(wideHome(WIDE));
    told.effects.length = 0;
    told.press("j", "j", "j");
    expect(told.effects).toEqual([]);
    expect(tick(told).effects).toHaveLength(1);
    expect(tick(told).effects).toHaveLength(1);
  });

  test("opens what is read already at once, with its question, and keeps it when it is left", () => {
    const told = read(tick(wideHome(WIDE)), port);
    expect(topScreen(told.model).kind).toBe("home");
    told.effects.length = 0;
    told.press("enter");
    expect(told.effects).toEqual([{ type: "call", call: { name: "why", id: "port" } }]);
    expect(topScreen(told.model).kind).toBe("answer");
    expect(seen(told.press("esc", "esc").model)).toMatch(/╭ Serve it ─[\s\S]*Which port\?/);
    expect(tick(told).effects).toHaveLength(1);
  });

  test("lets go of a loop that another screen led to", () => {
    const told = read(tick(wideHome(WIDE)), port);
    told.model = { ...openLoop(told.model, "cart").model };
    told.press("esc");
    expect(told.effects.at(-1)).toEqual({ type: "follow", id: null });
  });

  test("says what became of a loop that cannot be read, and that nobody drives one", () => {
    const undriven = new Map([["port", NOW]]);
    const told = wideHome(WIDE).tell({ type: "looked", undriven, damaged: [] });
    expect(tick(told).model.opened?.driver?.undriven_since).toBe(NOW);
    told.tell({ type: "unopened", id: "port", reason: "It was deleted." });
    expect(seen(told.model)).toContain("This loop cannot be shown: It was deleted.");
  });

  test.each([
    ["a usual terminal", { columns: 119, rows: 40 }, true],
    ["lines", WIDE, false],
  ])("but not in %s", (_, size, previews) => {
    const told = home(size);
    told.model = { ...told.model, previews };
    expect(tick(told).effects).toEqual([]);
    expect(seen(told.model)).not.toContain("╭");
  });
});

describe("the square", () => {
  const texts = (columns: number) => squareLines(SQUARE, columns).map((of) => textOf(of).trimEnd());

  test("has which tests down and which sources across", () => {
    const [head, before, now] = texts(80);
    expect(head).toMatch(/^ {20}sources at the start +sources now$/);
    expect(before).toMatch(/^tests at the start +1 green, 4 red +5 green$/);
    expect(now).toMatch(/^tests now +2 green, 3 red +6 green$/);
  });

  test("is a list where there is no room for a table", () => {
    expect(texts(40)).toEqual([
      "baseline        1 green, 4 red",
      "verdict         5 green",
      "counterfactual  2 green, 3 red",
      "present         6 green",
    ]);
  });
});
