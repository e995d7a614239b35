import { describe, expect, test } from "vitest";
import { fieldOf } from "../src/model/field.ts";
import { topScreen } from "../src/model/model.ts";
import type { HomeState } from "../src/model/screen-states.ts";
import { home, running, USUAL } from "./support/home.ts";
import type { Told } from "./support/recorded-loop.ts";
import { seen } from "./support/seen.tsx";

describe("keys", () => {
  const effects = (told: Told) => told.effects;
  const on = (id: string) => {
    const told = home();
    told.model = { ...told.model, stack: [{ ...told.model.stack[0], selected: id } as never] };
    return told;
  };

  test("enter opens the selected loop and follows it", () => {
    const told = on("cart").press("enter");
    expect(topScreen(told.model)).toMatchObject({ kind: "loop", id: "cart" });
    expect(effects(told)).toContainEqual({ type: "follow", id: "cart" });
  });

  test("tab opens the loop that the next step is about, and selects it", () => {
    const told = on("flag").press("tab");
    expect(topScreen(told.model)).toMatchObject({ kind: "loop", id: "port" });
    expect(told.model.stack[0]).toMatchObject({ selected: "port" });
  });

  test.each([
    ["s", "flag", { type: "drive", id: "flag" }],
    ["s", "red", { type: "drive", id: "red" }],
    ["s", "cart", { type: "drive", id: "cart" }],
    ["p", "cart", { type: "call", call: { name: "send", id: "cart", command: { type: "pause" } } }],
  ])("%s on %s", (key, id, effect) => {
    expect(effects(on(id).press(key))).toEqual([effect]);
  });

  test.each([
    ["x", "cart", { name: "send", id: "cart", command: { type: "stop" } }],
    ["d", "flag", { name: "delete", id: "flag" }],
    ["d", "broken", { name: "delete", id: "broken" }],
  ])("%s on %s asks first", (key, id, call) => {
    const told = on(id).press(key);
    expect(topScreen(told.model).kind).toBe("confirm");
    expect(effects(told)).toEqual([]);
    expect(effects(told.press("y"))).toEqual([{ type: "call", call }]);
    expect(topScreen(told.model).kind).toBe("home");
  });

  test.each([
    ["p", "flag"],
    ["d", "cart"],
    ["s", "port"],
    ["s", "long"],
    ["x", "long"],
    ["p", "broken"],
    ["s", "broken"],
  ])("%s on %s is not offered and does nothing", (key, id) => {
    const told = on(id).press(key);
    expect(effects(told)).toEqual([]);
    expect(topScreen(told.model).kind).toBe("home");
    expect(seen(told.model).split("\n").at(-1)).not.toMatch(new RegExp(` ${key} `));
  });

  test("on a server nobody drives a running loop from here", () => {
    const told = home(USUAL, [running], []);
    told.model = { ...told.model, place: { name: "http://127.0.0.1:7000", drives: false } };
    expect(effects(told.press("s"))).toEqual([]);
  });

  test("enter on a loop that cannot be read says how to save it", () => {
    const told = on("broken").press("enter");
    expect(told.model.notice?.text).toBe(
      "What can be saved: ccw-loop recover broken · It is not JSON.",
    );
  });

  test("q leaves at once, unless loops are driven here", () => {
    expect(effects(home().press("q"))).toEqual([{ type: "quit", driven: "release" }]);
    const driving = home().tell({ type: "driving", ids: ["cart"] });
    expect(topScreen(driving.press("q").model).kind).toBe("quit");
    expect(effects(driving)).toEqual([]);
    const failed = home().tell({ type: "driving", ids: ["red"] });
    expect(effects(failed.press("q"))).toEqual([{ type: "quit", driven: "pause" }]);
  });
});

describe("search", () => {
  test("narrows the list while it is typed, with every letter that is a key elsewhere", () => {
    const told = home().press("/").type("q x port");
    expect(told.model.stack[0]).toMatchObject({ search: fieldOf("q x port"), searching: true });
    expect(seen(told.model)).toContain("No loop fits the search.");
    expect(seen(told.press("ctrl+u").type("port").model)).toMatch(/\/ port +2 of 6/);
  });

  test("stays when the list has the keys again, until esc", () => {
    const told = home().press("/").type("cart").press("enter", "down");
    expect(told.model.stack[0]).toMatchObject({ searching: false, selected: "red" });
    expect(seen(told.press("esc").model)).toContain("All 6");
  });

  test("moves the selection with keys that type nothing", () => {
    const told = home().press("/").type("cart").press("down", "enter", "enter");
    expect(topScreen(told.model)).toMatchObject({ kind: "loop", id: "red" });
  });

  test("a paste goes into the field on one line", () => {
    const told = home().press("/").tell({ type: "pasted", text: "add\na" });
    expect(told.model.stack[0]).toMatchObject({ search: fieldOf("add a"), selected: null });
  });
});

test("f goes through every health that there is, o through every order", () => {
  const told = home();
  const next = (key: string, field: "health" | "sort") =>
    (told.press(key).model.stack[0] as HomeState)[field];
  const healths = Array.from({ length: 6 }, () => next("f", "health"));
  expect(healths).toEqual(["waiting", "running", "failed", "resting", "damaged", null]);
  const sorts = Array.from({ length: 4 }, () => next("o", "sort"));
  expect(sorts).toEqual(["newest", "oldest", "name", "health"]);
});
