import { fit, fitAll, type Line, line, type Size } from "../frame/line.ts";
import { QUIT } from "../keys/everywhere.ts";
import { firstKey } from "../keys/lookup.ts";
import type { Model } from "../model/model.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { topScreen } from "../model/stack.ts";
import { screenOf } from "../screens/screens.ts";
import { footLine, headLine, noticeLines } from "./edges.ts";
import { topFullScreen } from "./layers.ts";

/** What screens are made for; smaller terminals are told so. */
export const MIN_SIZE: Size = { columns: 60, rows: 16 };

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;
}

/** The whole screen: exactly as many lines of exactly as many columns as the terminal has. */
export function frameOf(model: Model): Line[] {
  const { size } = model;
  if (isTooSmall(size)) return tooSmall(model);
  const notice = noticeLines(model);
  const body = bodyOf(model, { columns: size.columns, rows: size.rows - 3 }, notice.length - 1);
  const rows = [headLine(model), ...body, ...notice, footLine(model)];
  return rows.map((row) => fit(row, size.columns));
}

/**
 * The full screen that is nearest to the top, with the sheet that is on top of it over its lowest rows. A notice may
 * have taken some of them.
 */
function bodyOf(model: Model, size: Size, taken: number): Line[] {
  const top = topScreen(model);
  const rows = size.rows - taken;
  const full = fitAll(linesOf(topFullScreen(model), model, size), size).slice(0, rows);
  if (screenOf(top).place === "full") return full;
  const sheet = linesOf(top, model, size).slice(-rows);
  return [...full.slice(0, rows - sheet.length), ...sheet];
}

function linesOf(state: ScreenState, model: Model, size: Size): readonly Line[] {
  return screenOf(state).lines(state, model, size);
}

function tooSmall({ size, keys }: Model): Line[] {
  const quit = firstKey(QUIT, keys);
  const words = `CCW Loop needs a terminal of ${MIN_SIZE.columns} columns and ${MIN_SIZE.rows} rows; this one has ${size.columns} and ${size.rows}. Make it larger, or leave with ${quit}.`;
  const rows: string[] = [""];
  for (const word of words.split(" ")) {
    const last = rows.at(-1) ?? "";
    const longer = last === "" ? word : `${last} ${word}`;
    if (longer.length <= size.columns || last === "") rows[rows.length - 1] = longer;
    else rows.push(word);
  }
  return fitAll(
    rows.map((text) => line(text, "warning")),
    size,
  );
}
