import { type AgentLog, type TonedLine, widthOf } from "@ccw-loop/view";
import { type Line, line, type Size, type Span, span, wrapped } from "../../../components/line.ts";
import type { LoopScreenState } from "../../../model/screen-states.ts";

/** How an agent pane looks at the log. */
export type Look = Pick<LoopScreenState, "follow" | "scroll" | "search" | "found" | "zoomed">;

export interface AgentWindow {
  rows: readonly Line[];
  /** Numbers of the first and the last line that is seen, and the largest that may be the first one. */
  first: number;
  last: number;
  lastFirst: number;
}

/** So many lines are read out at once; of more, the last. */
export const LINES_READ_OUT = 20;

/** The end of the log, as it is read out. */
export function readOut(lines: AgentLog["lines"]): Line[] {
  return lines.slice(-LINES_READ_OUT).map(({ tone, text }) => line(text, tone));
}

/** The rows of the log that a pane of that size shows: from its first line on, or up to the newest. */
export function agentWindow(look: Look, log: AgentLog, size: Size): AgentWindow {
  const { lines, dropped } = log;
  const newest = tail(look, log, size);
  const from = Math.min(newest.from, Math.max(0, look.scroll.agent - dropped));
  const rows: Line[] = [];
  let to = from;
  if (look.follow || from === newest.from) {
    rows.push(...newest.rows);
    to = lines.length;
  } else {
    while (to < lines.length && rows.length < size.rows) {
      rows.push(...rowsOf(look, log, to, size.columns));
      to += 1;
    }
  }
  const first = look.follow ? newest.from : from;
  return {
    rows: rows.slice(0, size.rows),
    first: first + dropped,
    last: Math.max(first, to - 1) + dropped,
    lastFirst: newest.from + dropped,
  };
}

/** The newest rows; of a line that is cut at the top its end. */
function tail(look: Look, log: AgentLog, { columns, rows }: Size): { rows: Line[]; from: number } {
  let from = log.lines.length;
  let shown: Line[] = [];
  while (from > 0 && shown.length < rows) {
    from -= 1;
    shown = [...rowsOf(look, log, from, columns), ...shown];
  }
  return { rows: shown.slice(-rows), from };
}

/** What is said takes as many rows as it needs; what is printed is cut, unless the pane has the screen for itself. */
function rowsOf(look: Look, { lines, dropped }: AgentLog, at: number, columns: number): Line[] {
  const { tone, text } = lines[at] ?? NOTHING;
  const isLong = widthOf(text) > columns && (look.zoomed || tone !== "quiet");
  const rows = isLong ? wrapped(text, columns, tone) : [line(text, tone)];
  const wanted = look.search.text.toLowerCase();
  if (wanted === "") return rows;
  return rows.map((row) => marked(row, wanted, at + dropped === look.found));
}

const NOTHING: TonedLine = { tone: "plain", text: "" };

export function agentNote({ first, last }: AgentWindow, look: Look, log: AgentLog): string {
  const total = log.dropped + log.lines.length;
  if (total === 0) return "";
  return look.follow ? "following" : `${first + 1}-${last + 1} of ${total}`;
}

/** The first place in the row that holds the text stands out; in the line that was found it is inverse. */
function marked(row: Line, wanted: string, found: boolean): Line {
  return row.flatMap(({ tone, text }): Span[] => {
    const at = text.toLowerCase().indexOf(wanted);
    if (at < 0) return [{ tone, text }];
    const end = at + wanted.length;
    const hit: Span = { ...span(text.slice(at, end), "warning"), inverse: found };
    return [span(text.slice(0, at), tone), hit, span(text.slice(end), tone)];
  });
}

/**
 * The number of the nearest line that holds `text`, in any case, from line `from` on (`forward`) or back; it goes on
 * at the other end, and begins there when there is no such line. Null when there is none, or nothing to look for.
 */
export function foundLine(
  { lines, dropped }: AgentLog,
  text: string,
  { from, forward }: { from: number; forward: boolean },
): number | null {
  const wanted = text.toLowerCase();
  if (wanted === "" || lines.length === 0) return null;
  const count = lines.length;
  const start = from >= dropped + count ? 0 : from < dropped ? count - 1 : from - dropped;
  for (let i = 0; i < count; i++) {
    const at = (start + (forward ? i : -i) + count) % count;
    if (lines[at]?.text.toLowerCase().includes(wanted)) return at + dropped;
  }
  return null;
}
