import {
  checkpointsOf,
  forkEffects,
  painter,
  rewindEffects,
  rewoundText,
  TIMELINE_HEAD,
  table,
  timelineRows,
} from "@ccw-loop/view";
import { Box } from "ink";
import { type Line, line, type Size } from "../components/line.ts";
import { Panel } from "../components/panel.tsx";
import { ListRows } from "../components/pointer.tsx";
import { Text } from "../components/text.tsx";
import { type Answer, calling, type Effect } from "../model/effect.ts";
import {
  type Model,
  openedState,
  popScreen,
  pushScreen,
  replaceScreen,
  withNotice,
} from "../model/model.ts";
import { isPending } from "../model/pending.ts";
import type { Binding, Screen, Step, ViewProps } from "../model/screen.ts";
import type { ConfirmState, TimelineState } from "../model/screen-states.ts";
import { bodyOf, moved, windowAround } from "../model/scroll.ts";
import { asking, backBinding, movingBindings, opening, selectingRow } from "./bindings.ts";
import { openDiff } from "./diff.ts";

export const timelineScreen: Screen<TimelineState> = {
  title: ({ id }) => `Timeline of ${id}`,
  place: "full",
  bindings: (screen, model) => [
    ...entryBindings(screen, model),
    ...movingBindings("timeline", (move, from) => {
      const last = Math.max(0, (screen.entries?.length ?? 0) - 1);
      const page = tableRows(bodyOf(from.size));
      const selected = moved(screen.selected, move, { page, last });
      return { model: replaceScreen(from, { ...screen, selected }) };
    }),
    {
      id: "timeline.refresh",
      label: "refresh",
      footer: false,
      run: asking(askTimeline(screen.id)),
    },
    backBinding("timeline"),
  ],
  usual: [
    { id: "timeline.diff", label: "diff" },
    { id: "timeline.rewind", label: "rewind" },
    { id: "timeline.fork", label: "fork" },
  ],
  clicked: (screen, { index }, model) =>
    selectingRow(model, screen, { index, count: screen.entries?.length ?? 0 }),
  answered,
  View: TimelineView,
  plain: plainTimeline,
};

/** Of the selected action below the table. */
const MESSAGE_ROWS = 3;

function tableRows({ rows }: Size): number {
  return Math.max(1, rows - 2 - 1 - 1 - MESSAGE_ROWS);
}

/** The head of the table, the rows around the selected one, and what that one said. */
function TimelineView({ state, size }: ViewProps<TimelineState>) {
  const { entries, selected } = state;
  const { columns, rows } = { columns: size.columns - 2, rows: tableRows(size) };
  if (!entries?.length) {
    return (
      <Panel title="Timeline" focused height={size.rows}>
        <Text tone="quiet">{entries ? "Nothing was done yet." : "Asking …"}</Text>
      </Panel>
    );
  }
  const [head = "", ...texts] = tableTexts(state, columns);
  const { lines, first, note } = windowAround(texts, selected, rows);
  const tones = timelineRows(entries).map(({ tone }) => tone);
  return (
    <Panel title="Timeline" focused height={size.rows} note={note}>
      <Text tone="quiet">{head}</Text>
      <ListRows
        of={lines.map((text, i) => line(text, tones[first + i]))}
        first={first}
        selected={selected}
        columns={columns}
        rows={rows}
      />
      <Box marginTop={1} height={MESSAGE_ROWS} overflow="hidden">
        <Text tone="quiet" wrap="wrap">
          {entries[selected]?.message ?? ""}
        </Text>
      </Box>
    </Panel>
  );
}

/** Only what can be done with the selected action. */
function entryBindings(screen: TimelineState, model: Model): Binding[] {
  const entry = screen.entries?.[screen.selected];
  const range = rangeOf(screen, model);
  if (!entry || !range) return [];
  const isBusy = isPending(model, screen.id);
  const rewind: Binding = {
    id: "timeline.rewind",
    label: "rewind",
    run: opening(rewindConfirm(screen.id, range.to)),
  };
  return [
    { id: "timeline.diff", label: "diff", run: openDiff(screen.id, range) },
    // Of a loop that runs it would be refused.
    ...(openedState(model)?.status === "running" || isBusy ? [] : [rewind]),
    ...(isBusy
      ? []
      : [{ id: "timeline.fork" as const, label: "fork", run: forkQuestion(screen.id, range.to) }]),
  ];
}

function plainTimeline(screen: TimelineState): Line[] {
  if (screen.entries === null) return [line("The timeline is asked for.")];
  if (screen.entries.length === 0) return [line("Nothing was done yet.")];
  return timelineRows(screen.entries).map(({ cells }, i) => {
    const named = cells.map((cell, at) => (cell === "-" ? "" : `${TIMELINE_HEAD[at]} ${cell}`));
    const mark = i === screen.selected ? "selected: " : "";
    return line(`${mark}${named.filter(Boolean).join(", ")}`);
  });
}

function tableTexts({ entries }: TimelineState, columns: number): string[] {
  const shown = columns >= 100 ? ALL : columns >= 76 ? USUAL : FEW;
  const rows = timelineRows(entries ?? []).map(({ tone, cells }) => ({
    tone,
    cells: shown.map((name) => cells[TIMELINE_HEAD.indexOf(name)] ?? ""),
  }));
  return table(shown, rows, { columns, paint: painter(false) });
}

type Column = (typeof TIMELINE_HEAD)[number];
const ALL: readonly Column[] = TIMELINE_HEAD;
const USUAL: readonly Column[] = ["#", "TIME", "ACTION", "OUTCOME", "FILES", "TESTS", "MESSAGE"];
const FEW: readonly Column[] = ["#", "ACTION", "OUTCOME", "FILES", "TESTS"];

function rangeOf({ entries, selected }: TimelineState, model: Model) {
  return checkpointsOf(entries?.[selected], openedState(model) ?? {});
}

/** Asks for every action of the loop, and shows them with the newest checkpoint selected. */
export const openTimeline = (id: string) =>
  opening({ kind: "timeline", id, entries: null, selected: 0 }, askTimeline(id));

function askTimeline(id: string): Effect {
  return calling({ name: "timeline", id });
}

/** The entries, and what came of a rewind. */
function answered(screen: TimelineState, answer: Answer, model: Model): Step | undefined {
  if (!("id" in answer.call) || answer.call.id !== screen.id) return undefined;
  if (answer.name === "timeline") return listed(screen, answer, model);
  if (answer.name === "rewind") {
    const { call } = answer;
    if (!answer.ok) {
      const { code, message } = answer.error;
      if (code !== "workspace_changed" || call.force)
        return { model: withNotice(model, message, "bad") };
      return { model: pushScreen(model, forceConfirm(call.id, call.to, message)) };
    }
    const words = rewoundText(answer.value, call.to);
    return { model: withNotice(model, words, "good"), effects: [askTimeline(screen.id)] };
  }
  return undefined;
}

function listed(screen: TimelineState, answer: Answer & { name: "timeline" }, model: Model): Step {
  if (!answer.ok) return { model: withNotice(popScreen(model), answer.error.message, "bad") };
  const entries = answer.value;
  const last = Math.max(0, entries.length - 1);
  const state = openedState(model) ?? {};
  const newest = entries.findLastIndex((entry) => checkpointsOf(entry, state) !== undefined);
  const first = newest < 0 ? last : newest;
  const selected = screen.entries === null ? first : Math.min(screen.selected, last);
  return { model: replaceScreen(model, { ...screen, entries, selected }) };
}

function rewindConfirm(id: string, to: number): ConfirmState {
  return {
    kind: "confirm",
    question: `Rewind to checkpoint ${to}?`,
    details: rewindEffects(id, to),
    verb: "rewind",
    yes: [calling({ name: "rewind", id, to, force: false })],
  };
}

/** Asked when the service refused with `workspace_changed`. */
function forceConfirm(id: string, to: number, reason: string): ConfirmState {
  return {
    kind: "confirm",
    question: `Rewind to checkpoint ${to} all the same?`,
    details: [
      reason,
      "The files as they are now are kept first; the notice that follows says where.",
    ],
    verb: "rewind",
    yes: [calling({ name: "rewind", id, to, force: true })],
  };
}

function forkQuestion(id: string, n: number): (from: Model) => Step {
  return (from) => {
    const title = `${openedState(from)?.title ?? id} (fork at ${n})`;
    const confirm: ConfirmState = {
      kind: "confirm",
      question: `Fork at checkpoint ${n}?`,
      details: forkEffects(title),
      verb: "fork",
      yes: [calling({ name: "fork", id, from: n, title })],
    };
    return { model: pushScreen(from, confirm) };
  };
}
