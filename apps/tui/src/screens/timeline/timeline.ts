import { TIMELINE_HEAD } from "@ccw-loop/view";
import { type Line, line, type Size } from "../../frame/line.ts";
import { panel } from "../../frame/panel.ts";
import { bodyOf, moved } from "../../frame/scroll.ts";
import { wrapped } from "../../frame/wrap.ts";
import type { Model } from "../../model/model.ts";
import { replaceScreen } from "../../model/stack.ts";
import { openDiff } from "../diff/open.ts";
import { movingBindings, pageBack } from "../moving.ts";
import type { Binding, Screen } from "../screen.ts";
import { answered } from "./answered.ts";
import { forkQuestion, rewindQuestion } from "./going-back.ts";
import { askTimeline } from "./open.ts";
import { rangeOf, rowsOf, tableLines } from "./rows.ts";
import type { TimelineState } from "./state.ts";

export const timelineScreen: Screen<TimelineState> = {
  title: ({ id }) => `Timeline of ${id}`,
  place: "full",
  bindings: (screen, model) => [
    ...entryBindings(screen, model),
    ...movingBindings("timeline", (move, from) => {
      const last = Math.max(0, (screen.entries?.length ?? 0) - 1);
      const page = tableRows(bodyOf(from.size));
      return {
        model: replaceScreen(from, {
          ...screen,
          selected: moved(screen.selected, move, { page, last }),
        }),
      };
    }),
    {
      id: "timeline.refresh",
      keys: ["r"],
      label: "refresh",
      footer: false,
      run: (from) => ({ model: from, effects: [askTimeline(screen.id)] }),
    },
    pageBack("timeline"),
  ],
  answered,
  lines(screen, _model, { columns, rows }) {
    const { entries, selected } = screen;
    if (entries === null) return frame([line("Asking …", "quiet")], { columns, rows });
    if (entries.length === 0)
      return frame([line("Nothing was done yet.", "quiet")], { columns, rows });
    const height = tableRows({ columns, rows });
    const { head, visible, note } = tableLines(screen, {
      columns: columns - 2,
      rows: height,
    });
    const message = wrapped(entries[selected]?.message ?? "", columns - 2, "quiet");
    const shown = [head, ...visible, line(""), ...message.slice(0, MESSAGE_ROWS)];
    return frame(shown, { columns, rows }, note);
  },
  plain: plainTimeline,
};

/** Of the selected action below the table. */
const MESSAGE_ROWS = 3;

function tableRows({ rows }: Size): number {
  return Math.max(1, rows - 2 - 1 - 1 - MESSAGE_ROWS);
}

function frame(content: readonly Line[], size: Size, note = ""): Line[] {
  return panel(content, { ...size, title: "Timeline", focused: true, note });
}

/** Only what can be done with the selected action. */
function entryBindings(screen: TimelineState, model: Model): Binding[] {
  const entry = screen.entries?.[screen.selected];
  const range = rangeOf(screen, model);
  if (!entry || !range) return [];
  const rewind = rewindQuestion(screen.id, range.to, model);
  return [
    {
      id: "timeline.diff",
      keys: ["enter", "d"],
      label: "diff",
      run: (from) => openDiff(from, screen.id, range),
    },
    ...(rewind === undefined
      ? []
      : [{ id: "timeline.rewind", keys: ["R"], label: "rewind", run: rewind }]),
    {
      id: "timeline.fork",
      keys: ["F"],
      label: "fork",
      run: forkQuestion(screen.id, range.to),
    },
  ];
}

function plainTimeline(screen: TimelineState): Line[] {
  if (screen.entries === null) return [line("The timeline is asked for.")];
  if (screen.entries.length === 0) return [line("Nothing was done yet.")];
  return rowsOf(screen).map(({ cells }, i) => {
    const named = cells.map((cell, at) => (cell === "-" ? "" : `${TIMELINE_HEAD[at]} ${cell}`));
    const mark = i === screen.selected ? "selected: " : "";
    return line(`${mark}${named.filter(Boolean).join(", ")}`);
  });
}
