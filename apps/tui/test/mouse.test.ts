import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { MOUSE_OFF, MOUSE_ON, type Mouse, MouseReports } from "../src/keys/mouse.ts";
import { topScreen } from "../src/model/model.ts";
import type { LoopScreenState } from "../src/model/screen-states.ts";
import { home } from "./support/home.ts";
import { loopsInMemory, opened } from "./support/place.ts";
import { looking, recording, type Told } from "./support/recorded-loop.ts";
import { frameOf, spotOf } from "./support/seen.tsx";

const SOON = { interval: 5, timeout: 10_000 };

/** As a terminal reports it: columns and rows from 1. */
const report = (button: number, row: number, end = "M") => `\u001B[<${button};5;${row + 1}${end}`;
const click = (row: number) => report(0, row) + report(0, row, "m");

test.each([
  ["a click", "\u001B[<0;3;4M", [{ kind: "click", column: 2, row: 3 }]],
  ["its end", "\u001B[<0;3;4m", []],
  ["another button", "\u001B[<2;3;4M", []],
  ["with ctrl", "\u001B[<16;3;4M", []],
  [
    "the wheel",
    "\u001B[<64;300;1M\u001B[<65;300;1M",
    ["up", "down"].map((kind) => ({ kind, column: 299, row: 0 })),
  ],
])("%s", (_, bytes, reports) => {
  expect(new MouseReports().taken(bytes)).toEqual({ text: "", reports });
});

test("what is no report stays as it was, however the input is cut", () => {
  const part = fc.oneof(
    fc.constantFrom("a", "\u001B[A", "漢", "\u001B[200~paste <0;1;1M\u001B[201~", "\r"),
    fc.tuple(fc.nat(70), fc.nat(300)).map(([button, at]) => `\u001B[<${button};${at + 1};1M`),
  );
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(40)), (parts, cuts) => {
      const input = parts.join("");
      const whole = new MouseReports().taken(input);
      // A lone escape is a key of its own: between it and its bracket a terminal does not pause.
      const at = cuts
        .filter((cut) => !"\u001B[".includes(input[cut - 1] ?? "a"))
        .sort((a, b) => a - b);
      const pieces = [0, ...at].map((from, i) => input.slice(from, at[i] ?? input.length));
      const mouse = new MouseReports();
      const taken = pieces.map((piece) => mouse.taken(piece));
      expect(taken.map(({ text }) => text).join("")).toBe(whole.text);
      expect(taken.flatMap(({ reports }) => reports)).toEqual(whole.reports);
    }),
  );
});

/** Points with a mouse at that text. */
function point(told: Told, kind: Mouse["kind"], text: string): Told {
  return told.tell({ type: "pointed", kind, spot: spotOf(told.model, text) });
}

const selectedIn = ({ model }: Told) => {
  const top = topScreen(model);
  return "selected" in top ? top.selected : undefined;
};

test("a click on a loop of the list selects it and does nothing else, one beside the list nothing at all", () => {
  const told = home();
  point(told, "click", "Serve it");
  expect(selectedIn(told)).toBe("port");
  point(told, "click", "broken");
  expect(selectedIn(told)).toBe("broken");
  const before = told.model;
  for (const text of ["CCW Loop", "enter", "LOOP"])
    expect(point(told, "click", text).model).toBe(before);
  expect(told.effects).toEqual([]);
});

test("the wheel moves by three what the arrows move by one", () => {
  const told = home();
  const arrows = home().press("down", "down", "down");
  expect(selectedIn(point(told, "down", "CCW Loop"))).toBe(selectedIn(arrows));
  expect(selectedIn(point(told, "up", "Serve it"))).toBe(selectedIn(home().press("up")));
});

test("a click on a pane gives it the keys; the wheel over it scrolls it and leaves the keys where they are", () => {
  const told = looking(recording("debugged"), { columns: 120, rows: 40 });
  const focus = () => (topScreen(told.model) as LoopScreenState).focus;
  expect(focus()).toBe("agent");
  point(told, "click", " Tasks ");
  expect(focus()).toBe("tasks");
  const before = frameOf(told.model);
  point(told, "up", " Agent ");
  expect(focus()).toBe("tasks");
  expect(frameOf(told.model)).not.toEqual(before);
  expect((topScreen(told.model) as LoopScreenState).follow).toBe(false);
});

test("a sheet has the mouse for itself", () => {
  const told = looking(recording("menu"), { columns: 80, rows: 24 });
  expect(topScreen(told.model).kind).toBe("menu");
  expect(spotOf(told.model, "Tasks")).toBeUndefined();
  const { model } = point(told, "click", " 3 ");
  expect(topScreen(model)).toMatchObject({ kind: "menu", busy: false });
  expect(selectedIn(told)).toBe(2);
  expect(told.effects).toEqual([]);
});

test("a click in a form goes to its field", () => {
  const told = home().press("n");
  point(told, "click", "Test command");
  expect(topScreen(told.model)).toMatchObject({ kind: "create", focus: "verify" });
});

const CONFIG = { path: "/c/tui.json", value: { mouse: true } };

test("the terminal is asked for its mouse only where that is configured, and gets it back", async () => {
  for (const config of [CONFIG, undefined]) {
    const { written, type, left } = opened(loopsInMemory(), {
      plain: false,
      ...(config && { config }),
    });
    await vi.waitFor(() => expect(written()).toContain("Make the first loop"), SOON);
    expect(written().includes(MOUSE_ON)).toBe(config !== undefined);
    // Reports are no keys, and what is typed between them is one.
    type(`${click(3)}q${click(3)}`);
    expect(await left).toBe(true);
    expect(written().includes(MOUSE_OFF)).toBe(config !== undefined);
    expect(written().lastIndexOf(MOUSE_OFF)).toBeGreaterThanOrEqual(
      written().lastIndexOf(MOUSE_ON),
    );
  }
});
