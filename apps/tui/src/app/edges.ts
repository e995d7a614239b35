import { formatDuration, type Tone, widthOf } from "@ccw-loop/view";
import { blank, fit, type Line, lineWidth, span } from "../frame/line.ts";
import { wrapped } from "../frame/wrap.ts";
import { GLOBAL_BINDINGS } from "../keys/everywhere.ts";
import { shownKey } from "../keys/key-name.ts";
import { keysOf } from "../keys/lookup.ts";
import type { Model } from "../model/model.ts";
import { topScreen } from "../model/stack.ts";
import type { Binding } from "../screens/screen.ts";
import { screenOf } from "../screens/screens.ts";
import { topFullScreen } from "./layers.ts";

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
  if (notice) return noticeRows(notice.text, notice.tone, size.columns);
  return link.state === "lost" ? noticeRows(link.reason, "bad", size.columns) : [blank];
}

function noticeRows(text: string, tone: Tone, columns: number): Line[] {
  const rows = wrapped(text, columns - 2, tone);
  const last = rows
    .slice(NOTICE_ROWS - 1)
    .flatMap((row, i) => (i === 0 ? row : [span(" "), ...row]));
  return [...rows.slice(0, NOTICE_ROWS - 1), last]
    .filter((row) => row.length > 0)
    .map((row) => fit([span(" "), ...row], columns));
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
