import { EventEmitter } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { widthOf } from "@ccw-loop/view";
import { type Instance, render } from "ink";
import { expect } from "vitest";
import { Frame } from "../../src/app/frame.tsx";
import { type Theme, themeFor } from "../../src/app/theme.ts";
import { textOf } from "../../src/components/line.ts";
import { Pointables, PointerContext } from "../../src/components/pointer.tsx";
import { type Model, type Spot, topScreen } from "../../src/model/model.ts";
import { screenOf } from "../../src/screens/screens.ts";

const COLORLESS = themeFor({ color: false, env: {}, plain: false });

/** A terminal in memory, for one frame after the other. */
const terminal = Object.assign(new EventEmitter(), {
  columns: 80,
  rows: 24,
  shown: "",
  write(text: string) {
    terminal.shown = text;
    return true;
  },
});

const pointables = new Pointables();

let ink: Instance | undefined;

/** The whole screen row by row, with its colors. */
export function paintedFrame(model: Model, theme: Theme = COLORLESS): string[] {
  Object.assign(terminal, model.size);
  const frame = (
    <PointerContext value={pointables}>
      <Frame model={model} theme={theme} />
    </PointerContext>
  );
  if (ink) ink.rerender(frame);
  else {
    const stdout = terminal as unknown as NodeJS.WriteStream;
    ink = render(frame, { stdout, debug: true, exitOnCtrlC: false, patchConsole: false });
  }
  return terminal.shown.split("\n");
}

/** The whole screen row by row, as text. */
export function frameOf(model: Model): string[] {
  return paintedFrame(model).map((row) => stripVTControlCharacters(row).trimEnd());
}

/** The whole screen, once it has exactly the rows of its terminal and no row is longer than that. */
export function fittingFrame(model: Model): string[] {
  const frame = frameOf(model);
  expect(frame).toHaveLength(model.size.rows);
  for (const row of frame) expect(widthOf(row)).toBeLessThanOrEqual(model.size.columns);
  return frame;
}

/** The whole screen as a person sees it, without colors; the clock at the top is no part of it. */
export function seen(model: Model): string {
  return frameOf(model).slice(1).join("\n");
}

/** What a mouse points at where that text is on the screen, the last time if there are several. */
export function spotOf(model: Model, text: string): Spot | undefined {
  const rows = paintedFrame(model).map((row) => stripVTControlCharacters(row));
  const row = rows.findLastIndex((one) => one.includes(text));
  if (row < 0) throw new Error(`Not on the screen: ${text}`);
  return pointables.at({ column: rows[row]?.indexOf(text) ?? 0, row });
}

/** What the keys of the screen on top do, in its words. */
export function labelsOn(model: Model): string[] {
  const top = topScreen(model);
  return screenOf(top)
    .bindings(top, model)
    .map(({ label }) => label);
}

/** What a screen reader is given of the screen on top. */
export function heard(model: Model): string {
  const top = topScreen(model);
  return screenOf(top).plain(top, model).map(textOf).join("\n");
}
