import { formatDuration, widthOf } from "@ccw-loop/view";
import {
  fit,
  fitAll,
  indented,
  type Line,
  lineWidth,
  type Size,
  span,
  wrapped,
  wrappedTo,
} from "../components/line.ts";
import { shownKey } from "../keys/keys.ts";
import { type Model, type Notice, topScreen } from "../model/model.ts";
import type { Binding } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { firstKey, GLOBAL_BINDINGS, keysOf } from "../screens/bindings.ts";
import { screenOf } from "../screens/screens.ts";

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
  const quit = firstKey("app.quit", keys);
  const words = `CCW Loop needs a terminal of ${MIN_SIZE.columns} columns and ${MIN_SIZE.rows} rows; this one has ${size.columns} and ${size.rows}. Make it larger, or leave with ${quit}.`;
  return fitAll(wrapped(words, size.columns, "warning"), size);
}

/** What is open, where the loops are, whether that is up to date, and the time. */
export function headLine(model: Model): Line {
  const full = topFullScreen(model);
  const left = [span(" CCW Loop ", "strong"), span(screenOf(full).title(full, model), "name")];
  const right = [span(model.place.name, "quiet"), span("  "), ...linkSpans(model), span(" ")];
  const { columns } = model.size;
  const room = columns - lineWidth(right) - 2;
  // A long folder or title gives way, the link and the clock do not.
  if (room < 30) {
    const end = [...linkSpans(model), span(" ")];
    return [...fit(left, columns - lineWidth(end) - 1), span(" "), ...end];
  }
  return [...fit(left, room), span("  "), ...right];
}

function linkSpans({ link, now }: Model): Line {
  const clock = span(new Date(now).toTimeString().slice(0, 8), "quiet");
  if (link.state === "live") return [span("● ", "good"), clock];
  const since = formatDuration(Math.max(1000, now - link.since));
  return [span(`○ not connected for ${since}  `, "bad"), clock];
}

/** Rows that a notice may take: what it says of the next step is at its end. */
const NOTICE_ROWS = 4;

/** What came of the last key; while the loops cannot be reached, why. At least one row. */
export function noticeLines({ notice, link, size }: Model): Line[] {
  const lost: Notice | null = link.state === "lost" ? { text: link.reason, tone: "bad" } : null;
  const { text, tone } = notice ?? lost ?? { text: "", tone: "plain" };
  const room = { columns: size.columns - 2, rows: NOTICE_ROWS };
  return indented(wrappedTo(text, room, tone), 1);
}

/** The keys of the top screen, as many as fit. The way back and the key that tells all of them are always there. */
export function footLine(model: Model): Line {
  const top = topScreen(model);
  const keys = (binding: Binding) => keysOf(binding, model.keys);
  const own = screenOf(top)
    .bindings(top, model)
    .filter(({ footer }) => footer !== false);
  const taken = new Set(own.flatMap(keys));
  const everywhere = GLOBAL_BINDINGS.filter(
    (binding) => binding.footer !== false && !keys(binding).some((key) => taken.has(key)),
  );
  const back = own.filter((binding) => keys(binding).includes("esc"));
  const end = [...back, ...everywhere].flatMap((binding) => hint(binding, model));
  let row: Line = [];
  for (const binding of own) {
    const next = [...row, ...hint(binding, model)];
    if (!back.includes(binding) && lineWidth(next) + lineWidth(end) <= model.size.columns)
      row = next;
  }
  return [...row, ...end];
}

function hint(binding: Binding, { keys }: Model): Line {
  const key = keysOf(binding, keys)[0];
  if (key === undefined || widthOf(key) === 0) return [];
  return [span(" "), span(shownKey(key), "name"), span(` ${binding.label} `, "quiet")];
}

/** The nearest to the top that fills the body; a sheet may be on top of it. */
export function topFullScreen({ stack }: Model): ScreenState {
  const full = stack.findLast((state) => screenOf(state).place === "full");
  if (full === undefined) throw new TypeError("There is no screen below the sheet.");
  return full;
}
