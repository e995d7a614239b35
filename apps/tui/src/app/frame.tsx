import { formatDuration, widthOf } from "@ccw-loop/view";
import { Box } from "ink";
import { use } from "react";
import { line, type Size, wrappedTo } from "../components/line.ts";
import { PointerContext } from "../components/pointer.tsx";
import { Text, TextLines, ThemeContext } from "../components/text.tsx";
import { ModelContext, useModel } from "../components/use-model.ts";
import { type Model, type Notice, topScreen, withStoppedClock } from "../model/model.ts";
import { busyText } from "../model/pending.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { bodyOf } from "../model/scroll.ts";
import { firstKey } from "../screens/bindings.ts";
import { screenOf } from "../screens/screens.ts";
import { Hints } from "./hints.tsx";
import type { Theme } from "./theme.ts";

/** What screens are made for; smaller terminals are told so. */
export const MIN_SIZE: Size = { columns: 60, rows: 16 };

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;
}

/** The whole screen, of exactly the size of the terminal. */
export function Frame({ model, theme }: { model: Model; theme: Theme }) {
  const { columns, rows } = model.size;
  return (
    <ThemeContext value={theme}>
      <ModelContext value={model}>
        <Box flexDirection="column" width={columns} height={rows} overflowY="hidden">
          {isTooSmall(model.size) ? <TooSmall /> : <Screens />}
        </Box>
      </ModelContext>
    </ThemeContext>
  );
}

function TooSmall() {
  const { size, keys } = useModel();
  const quit = firstKey("app.quit", keys);
  return (
    <Text tone="warning" wrap="wrap">
      {`CCW Loop needs a terminal of ${MIN_SIZE.columns} columns and ${MIN_SIZE.rows} rows; this one has ${size.columns} and ${size.rows}. Make it larger, or leave with ${quit}.`}
    </Text>
  );
}

/** The full screen that is nearest to the top, with the sheet that is on top of it over its lowest rows. */
function Screens() {
  const model = useModel();
  const full = topFullScreen(model);
  const top = topScreen(model);
  const size = bodyOf(model.size);
  const pointables = use(PointerContext);
  return (
    <>
      <Head full={full} />
      <ModelContext value={withStoppedClock(model)}>
        <Box flexDirection="column" flexGrow={1} flexBasis={0} overflowY="hidden">
          <Box flexDirection="column" flexGrow={1} flexBasis={0} overflowY="hidden">
            <Box flexDirection="column" flexShrink={0} height={size.rows}>
              <PointerContext value={top === full ? pointables : null}>
                <View state={full} size={size} />
              </PointerContext>
            </Box>
          </Box>
          {top !== full && (
            <Box flexDirection="column" flexShrink={1} justifyContent="flex-end" overflowY="hidden">
              <View state={top} size={size} />
            </Box>
          )}
        </Box>
      </ModelContext>
      <NoticeLines />
      <Hints />
    </>
  );
}

function View({ state, size }: { state: ScreenState; size: Size }) {
  const { View: Own } = screenOf(state);
  return <Own state={state} size={size} />;
}

/** A narrower head names no place. */
const ROOM_FOR_TITLE = 30;

/** What is open, where the loops are, whether that is up to date, and the time. */
function Head({ full }: { full: ScreenState }) {
  const model = useModel();
  const { name } = model.place;
  const link = linkOf(model);
  const room = model.size.columns - widthOf(`  ${name}  ${link.text}${link.clock} `);
  return (
    <Box height={1} flexShrink={0} justifyContent="space-between">
      <Box flexShrink={1} overflow="hidden">
        <Box flexShrink={0}>
          <Text tone="strong"> CCW Loop </Text>
        </Box>
        <Text tone="name">{screenOf(full).title(full, model)}</Text>
      </Box>
      <Box flexShrink={0}>
        <Text tone="quiet">{room < ROOM_FOR_TITLE ? " " : `  ${name}  `}</Text>
        <Text tone={link.tone}>{link.text}</Text>
        <Text tone="quiet">{`${link.clock} `}</Text>
      </Box>
    </Box>
  );
}

function linkOf({ link, now }: Model) {
  if (link.state === "live") {
    return { tone: "good", text: "● ", clock: new Date(now).toTimeString().slice(0, 8) } as const;
  }
  const since = formatDuration(Math.max(1000, now - link.since));
  return { tone: "bad", text: `○ not connected for ${since} `, clock: "" } as const;
}

/** Rows that a notice may take: what it says of the next step is at its end. */
const NOTICE_ROWS = 4;

/** What came of the last key; while the loops cannot be reached, why; what takes long. At least one row. */
function NoticeLines() {
  const model = useModel();
  const { notice, link, size } = model;
  const lost: Notice | null = link.state === "lost" ? { text: link.reason, tone: "bad" } : null;
  const busy = busyText(model);
  const { text, tone } = notice ?? lost ?? { text: "", tone: "plain" };
  const room = { columns: size.columns - 2, rows: NOTICE_ROWS };
  const said = text === "" && busy !== "" ? [] : wrappedTo(text, room, tone);
  return (
    <Box flexDirection="column" flexShrink={0} paddingLeft={1}>
      <TextLines of={busy === "" ? said : [...said, line(busy, "name")]} />
    </Box>
  );
}

/** The nearest to the top that fills the body; a sheet may be on top of it. */
function topFullScreen({ stack }: Model): ScreenState {
  const full = stack.findLast((state) => screenOf(state).place === "full");
  if (full === undefined) throw new TypeError("There is no screen below the sheet.");
  return full;
}
