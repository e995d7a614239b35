import { counted, statusText } from "@ccw-loop/core";
import { limitLines } from "@ccw-loop/view";
import { Box } from "ink";
import { fieldSpans } from "../../components/field.tsx";
import { type Line, line, span } from "../../components/line.ts";
import { Panel } from "../../components/panel.tsx";
import { Pointable } from "../../components/pointer.tsx";
import { Text, TextLine, TextLines } from "../../components/text.tsx";
import { ModelContext, useModel } from "../../components/use-model.ts";
import { type Model, openedState, popScreen, replaceScreen, topScreen } from "../../model/model.ts";
import type { Binding, Screen, ViewProps } from "../../model/screen.ts";
import type { LoopScreenState } from "../../model/screen-states.ts";
import { windowOf } from "../../model/scroll.ts";
import { backBinding, requestQuit } from "../bindings.ts";
import { wantedPreview } from "../home/list.ts";
import { squareBindings } from "../square.ts";
import { answered, controlBindings } from "./control.ts";
import { withFrozenClock } from "./driver.ts";
import { drivenText, Header, homeLines, openingText, railText, statusLine } from "./header.tsx";
import { arrangePanes, innerOf, isWhole, type Placed, searches } from "./layout.ts";
import { lookBindings } from "./navigation.ts";
import {
  cleared,
  focusBindings,
  focusedOn,
  searchBindings,
  searchingBindings,
  searchTyped,
  wheeled,
} from "./pane-bindings.ts";
import { agentNote, agentWindow, readOut } from "./panes/agent.ts";
import { type LoadedLoop, loadedLoop } from "./panes/pane.ts";
import { PANE_NAMES, PANES, paneLines } from "./panes/panes.ts";

export const loopScreen: Screen<LoopScreenState> = {
  title: ({ id }) => id,
  place: "full",
  bindings: loopBindings,
  usual: [
    { id: "loop.answer", label: "answer" },
    { id: "loop.pause", label: "pause" },
    { id: "loop.steer", label: "steer" },
    { id: "loop.stop", label: "stop" },
    { id: "loop.receipt", label: "receipt" },
  ],
  typed: searchTyped,
  clicked: (screen, { name }, model) => ({ model: replaceScreen(model, focusedOn(screen, name)) }),
  wheeled,
  answered,
  View: LoopView,
  plain: (_, model) => plainLoop(withFrozenClock(model)),
};

function LoopView({ state: screen, size }: ViewProps<LoopScreenState>) {
  const model = withFrozenClock(useModel());
  const shown = loadedLoop(model);
  if (!shown) {
    return <Text tone={model.opened?.gone ? "bad" : "quiet"}>{openingText(model)}</Text>;
  }
  const { header, layout } = arrangePanes(screen, model, shown, size);
  const whole = isWhole(layout);
  return (
    <ModelContext value={model}>
      <Header progress={shown.progress} room={header} />
      {layout.map((band) => (
        <Box key={idOf(band.flat())} flexShrink={0}>
          {band.map((column) => (
            <Box key={idOf(column)} flexDirection="column" flexShrink={0}>
              {column.map((placed) => (
                <Pointable key={placed.pane} name={placed.pane}>
                  <PaneView placed={placed} screen={screen} shown={shown} whole={whole} />
                </Pointable>
              ))}
            </Box>
          ))}
        </Box>
      ))}
    </ModelContext>
  );
}

function idOf(placed: readonly Placed[]): string {
  return placed.map(({ pane }) => pane).join(" ");
}

interface PaneProps {
  placed: Placed;
  screen: LoopScreenState;
  shown: LoadedLoop;
  /** It has the screen for itself. */
  whole: boolean;
}

function PaneView({ placed, screen, shown, whole }: PaneProps) {
  const model = useModel();
  const { pane, columns: width, rows: height } = placed;
  const inner = innerOf(screen, placed);
  const place = whole ? ` (${PANE_NAMES.indexOf(pane) + 1}/${PANE_NAMES.length})` : "";
  const own = PANES[pane];
  const title = `${own?.title ?? "Agent"}${place}`;
  const frame = { width, height, title, focused: pane === screen.focus };
  if (own === undefined) {
    const seen = agentWindow(screen, shown.log, inner);
    const { length } = shown.log.lines;
    return (
      <Panel {...frame} note={agentNote(seen, screen, shown.log)}>
        <Box flexDirection="column" height={inner.rows} flexShrink={0}>
          <TextLines of={length === 0 ? [silence(shown)] : seen.rows} />
        </Box>
        {searches(screen) && <TextLine of={searchLine(screen, shown, inner.columns)} />}
      </Panel>
    );
  }
  const { View, note: noteOf } = own;
  if (View !== undefined) {
    return (
      <Panel {...frame}>
        <View loop={shown} size={inner} />
      </Panel>
    );
  }
  const content = paneLines(pane, shown, { columns: inner.columns, whole, now: model.now });
  const { lines, note } = windowOf(content, screen.scroll[pane] ?? 0, inner.rows);
  return (
    <Panel {...frame} note={[noteOf?.(shown), note].filter(Boolean).join(" · ")}>
      <TextLines of={lines} />
    </Panel>
  );
}

function silence({ progress }: LoadedLoop): Line {
  const works = progress.state.status === "running" && progress.state.action;
  return line(works ? "Nothing said yet." : "No agent works now.", "quiet");
}

function searchLine(screen: LoopScreenState, { log }: LoadedLoop, columns: number): Line {
  const wanted = screen.search.text.toLowerCase();
  const count = log.lines.filter(({ text }) => text.toLowerCase().includes(wanted)).length;
  const note = wanted === "" ? "" : `  ${counted(count, "line")}`;
  const field = fieldSpans(screen.search, {
    columns: columns - 2 - note.length,
    focused: screen.searching,
  });
  return [span("/", "warning"), ...field, span(note, count === 0 ? "bad" : "quiet")];
}

/** Every key that means something now, the most needed ones first. */
export function loopBindings(screen: LoopScreenState, model: Model): readonly Binding[] {
  if (screen.searching) return searchingBindings(screen);
  const state = openedState(model);
  const back = backBinding("loop", "back", (from) => leaveLoop(screen, from));
  if (!state) return [back];
  return [
    ...controlBindings(state, model),
    ...lookBindings(state),
    ...(screen.focus === "tests" ? squareBindings("loop.square", state) : []),
    ...searchBindings(screen),
    ...focusBindings(screen, model),
    back,
    { id: "loop.quit", label: "quit", footer: false, run: requestQuit },
  ];
}

/** First out of the search, then out of the zoom, then out of the loop. */
function leaveLoop(screen: LoopScreenState, model: Model) {
  if (searches(screen)) return { model: replaceScreen(model, cleared(screen)) };
  if (screen.zoomed) return { model: replaceScreen(model, { ...screen, zoomed: false }) };
  const left = popScreen(model);
  const below = topScreen(left);
  // Beside a wide list it is still to be seen.
  if (below.kind === "home" && wantedPreview(below, left) === screen.id) return { model: left };
  return { model: left, effects: [{ type: "follow" as const, id: null }] };
}

/** All of it in reading order: how it stands, what it waits for, what was done, and the agent last. */
export function plainLoop(model: Model): Line[] {
  const shown = loadedLoop(model);
  if (!shown) return [line(openingText(model))];
  const { progress, log } = shown;
  const { state } = progress;
  const said = statusLine(state, model);
  const part = (title: string, lines: readonly Line[]): Line[] =>
    lines.length === 0 ? [] : [line(title, "strong"), ...lines];
  const words = (texts: readonly string[]) => texts.map((text) => line(text));
  return [
    line(state.title, "strong"),
    line([statusText(state), drivenText(model, state)].filter(Boolean).join(", ")),
    line(railText(progress, model.now)),
    line(said.text, said.tone),
    ...homeLines(state),
    ...part("Limits", words(limitLines(state))),
    ...Object.values(PANES).flatMap(({ title, plain }) => part(title, plain(shown, model.now))),
    ...part("Agent", readOut(log.lines)),
  ];
}
