import { stripVTControlCharacters } from "node:util";
import { widthOf } from "@ccw-loop/view";
import { describe, expect, test } from "vitest";
import { themeFor } from "../src/app/theme.ts";
import type { Size } from "../src/components/line.ts";
import { topScreen } from "../src/model/model.ts";
import type { ScreenState } from "../src/model/screen-states.ts";
import { answerAll } from "./support/answers.ts";
import { home } from "./support/home.ts";
import {
  looking,
  type Recording,
  recording,
  type Told,
  whereState,
} from "./support/recorded-loop.ts";
import { paintedFrame } from "./support/seen.tsx";
import { withSquare } from "./support/square.ts";

type Make = (size: Size) => Told;

/** The recorded loop `debugged` at its end, behind keys whose calls are answered. */
const looked =
  (...keys: string[]): Make =>
  (size) => {
    const told = withSquare(looking(recording("debugged"), size));
    told.tell({ type: "driving", ids: [] });
    for (const key of keys) answerAll(told.press(key), true);
    return told;
  };

/** A recorded loop as it first asked a person. */
const asked =
  (name: Recording): Make =>
  (size) => {
    const events = recording(name);
    return looking(
      events,
      size,
      whereState(events, ({ waiting }) => waiting !== undefined),
    );
  };

const listed =
  (...keys: string[]): Make =>
  (size) => {
    const told = home(size);
    told.model = { ...told.model, previews: true };
    for (const key of keys) answerAll(told.press(key), true);
    return told.tell({ type: "ticked", now: told.model.now + 1000 });
  };

/** Every kind of screen, and what is to be read on it. */
const SCREENS: Readonly<Record<ScreenState["kind"], [make: Make, says: RegExp]>> = {
  answer: [asked("objections"), /look around/],
  confirm: [listed("x"), /A running turn ends at once/],
  create: [listed("n"), /Test command/],
  diff: [looked("T", "enter"), /Checkpoint 0 to 1/],
  doctor: [listed("D"), /A loop can work here/],
  help: [listed("?"), /Everywhere|Loops/],
  home: [listed(), /Waiting for you 1/],
  loop: [looked(), /proven: The project's own tests passed/],
  menu: [asked("menu"), /What next\?/],
  palette: [looked(":"), /what to do/],
  prompt: [looked("l"), /iterations 20, time 6h/],
  quit: [
    (size) =>
      listed()(size)
        .tell({ type: "driving", ids: ["cart"] })
        .press("q"),
    /Quit\?/,
  ],
  receipt: [looked("v"), /It proves the work/],
  square: [looked("v", "enter", "tab"), /Witnesses, red here and green now: 3/],
  tasks: [looked("t"), /3 of 3 done/],
  timeline: [looked("T"), /OUTCOME/],
  why: [looked("w"), /Driven by/],
};

const THEMES = {
  colors: themeFor({ color: true, env: { COLORTERM: "truecolor" }, plain: false }),
  light: themeFor({
    background: "light",
    color: true,
    env: { COLORTERM: "truecolor" },
    plain: false,
  }),
  none: themeFor({ color: false, env: {}, plain: false }),
};

const ESC = "\u001b";
/** Every color that a frame sets, without weights and what is the other way round. */
const colorsIn = (rows: readonly string[]) =>
  new Set(rows.join("").match(new RegExp(`${ESC}\\[(3[0-7]|38;[\\d;]+|9[0-7])m`, "g")));

describe.each([
  { size: { columns: 80, rows: 24 }, tags: [] },
  { size: { columns: 120, rows: 40 }, tags: ["slow"] },
  { size: { columns: 200, rows: 60 }, tags: ["slow"] },
])("at $size.columns×$size.rows", ({ size, tags }) => {
  test.each(Object.entries(SCREENS))("%s", { tags }, (kind, [make, says]) => {
    const { model } = make(size);
    expect(topScreen(model).kind).toBe(kind);
    const [colored, light, none] = Object.values(THEMES).map((theme) => paintedFrame(model, theme));
    const text = none?.map(stripVTControlCharacters) ?? [];
    expect(text.join("\n")).toMatch(says);
    expect(text).toHaveLength(size.rows);
    for (const row of text) expect(widthOf(row)).toBeLessThanOrEqual(size.columns);
    // What is said does not hang on colors.
    expect(colored?.map(stripVTControlCharacters)).toEqual(text);
    expect(light?.map(stripVTControlCharacters)).toEqual(text);
    expect(colorsIn(none ?? [])).toEqual(new Set());
    const [dark, bright] = [colorsIn(colored ?? []), colorsIn(light ?? [])];
    expect(dark.size).toBeGreaterThan(1);
    for (const color of dark) expect(bright).not.toContain(color);
  });
});
