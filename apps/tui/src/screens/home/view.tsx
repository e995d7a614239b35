import {
  BOUND_WORDS,
  type Damaged,
  type Entry,
  HEALTH_WORDS,
  HEALTHS,
  type Head,
  type Health,
  isDamaged,
  type LoopRow,
  overviewOf,
  rowStatus,
  SORT_WORDS,
} from "@ccw-loop/view";
import { Box } from "ink";
import type { ReactNode } from "react";
import { fieldSpans } from "../../components/field.tsx";
import {
  blank,
  indented,
  type Line,
  line,
  type Size,
  type Span,
  span,
  wrapped,
} from "../../components/line.ts";
import { Rule } from "../../components/panel.tsx";
import { ListRows } from "../../components/pointer.tsx";
import { Text, TextLine, TextLines } from "../../components/text.tsx";
import { useModel } from "../../components/use-model.ts";
import type { BindingId } from "../../keys/defaults.ts";
import { type Model, shellCommand } from "../../model/model.ts";
import type { ViewProps } from "../../model/screen.ts";
import type { HomeState } from "../../model/screen-states.ts";
import { windowAround } from "../../model/scroll.ts";
import { firstKey } from "../bindings.ts";
import { isWide, listOf, numberOfSelected } from "./list.ts";
import { nextStepLine } from "./next-step.ts";
import { Preview } from "./preview.tsx";
import { ageOf, countdown, headLine, rowLine } from "./row.ts";

/** Rows of home that are no list: next step, filter, names of the columns, two of the selected loop. */
const AROUND = 5;

/** How many lines of the list are visible at once. */
export function listRows({ rows }: Size): number {
  return Math.max(1, rows - AROUND);
}

/** Touches the visible loops alone, however many there are. */
export function HomeView({ state, size }: ViewProps<HomeState>) {
  const model = useModel();
  const list = listOf(state, model.loops);
  const chosen = list.entries[numberOfSelected(state, list)];
  const columns = isWide(model) ? Math.floor(size.columns * LIST_SHARE) : size.columns;
  return (
    <>
      <NextStep />
      {state.searching || state.search.text !== "" ? (
        <Search state={state} />
      ) : (
        <Filter state={state} />
      )}
      {chosen === undefined ? (
        <TextLines of={[blank, ...emptyLines(state, model, size.columns)]} />
      ) : (
        <>
          <Box flexShrink={0}>
            <Box flexDirection="column" flexShrink={0} width={columns}>
              <List state={state} chosen={chosen} size={{ columns, rows: listRows(size) }} />
            </Box>
            {columns < size.columns && (
              <Preview
                entry={chosen}
                size={{ columns: size.columns - columns, rows: listRows(size) + 1 }}
              />
            )}
          </Box>
          <Detail entry={chosen} />
        </>
      )}
    </>
  );
}

/** Of a wide screen, beside the selected loop. */
const LIST_SHARE = 0.52;

function List({ state, chosen, size: { columns, rows } }: ListProps) {
  const { loops, now } = useModel();
  const { lines } = listOf(state, loops);
  const look = { now, columns };
  const at = lines.indexOf(chosen);
  const shown = windowAround(lines, at, rows);
  return (
    <>
      <TextLine of={headLine(SORT_WORDS[state.sort], columns)} />
      <ListRows
        of={shown.lines.map((item) =>
          item === chosen ? marked(itemLine(item, look)) : itemLine(item, look),
        )}
        first={shown.first}
        selected={at}
        columns={columns}
        rows={rows}
      />
    </>
  );
}

interface ListProps extends ViewProps<HomeState> {
  chosen: Entry;
}

/** With a sign as well, for who does not see the other way round. */
function marked([, ...rest]: Line): Line {
  return [span("> "), ...rest];
}

function itemLine(item: Head | Entry, look: { now: number; columns: number }): Line {
  if ("count" in item) {
    const { name, tone } = HEALTH_WORDS[item.health];
    return [span(` ${name}`, tone), span(` ${item.count}`, "quiet")];
  }
  if (!isDamaged(item)) return rowLine(item, look);
  const { glyph, tone } = HEALTH_WORDS.damaged;
  return [span("  "), span(`${glyph} `, tone), span(item.id), span(`  ${item.reason}`, "quiet")];
}

/** What to do next, and the key that does it. */
function NextStep() {
  return <TextLine of={nextStepLine(useModel())} />;
}

/** Every health that there is with its number, and how far the list is read. */
function Filter({ state }: { state: HomeState }) {
  const { loops, size } = useModel();
  const { counts } = overviewOf(loops.rows);
  const short = size.columns < 80;
  const tab = (health: HomeState["health"], name: string, count: number): Span[] =>
    count === 0 && state.health !== health
      ? []
      : [{ ...span(` ${name} ${count} `, toneOf(health)), inverse: state.health === health }];
  const named = (health: Health | "damaged", count: number) =>
    tab(health, short ? HEALTH_WORDS[health].glyph : HEALTH_WORDS[health].short, count);
  const tabs = [
    ...tab(null, "All", loops.rows.size),
    ...HEALTHS.flatMap((health) => named(health, counts[health])),
    ...named("damaged", loops.damaged.length),
  ];
  const reading = loops.complete ? "" : `reading, ${loops.rows.size} of ${loops.total}`;
  return (
    <Spread right={reading}>
      <TextLine of={tabs} />
    </Spread>
  );
}

function toneOf(health: HomeState["health"]) {
  return health === null ? "plain" : HEALTH_WORDS[health].tone;
}

function Search({ state }: { state: HomeState }) {
  const { loops, size } = useModel();
  const { length } = listOf(state, loops).entries;
  const of = state.health === null ? "" : ` ${HEALTH_WORDS[state.health].short.toLowerCase()}`;
  const found = `${length} of ${loops.rows.size}${of}`;
  const look = { columns: size.columns - found.length - 6, focused: state.searching };
  return (
    <Spread right={found}>
      <TextLine of={[span(" / ", "name"), ...fieldSpans(state.search, look)]} />
    </Spread>
  );
}

/** One row at the left, which gives way to the text at the right end. */
function Spread({ right, children }: { right: string; children: ReactNode }) {
  return (
    <Box flexShrink={0} justifyContent="space-between">
      <Box flexShrink={1}>{children}</Box>
      <Box flexShrink={0}>
        <Text tone="quiet">{right === "" ? "" : `  ${right} `}</Text>
      </Box>
    </Box>
  );
}

/** Two rows on the selected loop: which it is, and what there is to know about it. */
function Detail({ entry }: { entry: Entry }) {
  const model = useModel();
  const about = isDamaged(entry) ? line(recoveryText(entry, model), "bad") : aboutRow(entry, model);
  return (
    <>
      <Rule name={entry.id} />
      <TextLine of={[span(" "), ...about]} />
    </>
  );
}

/** What to do about a loop that cannot be read. */
export function recoveryText({ id, reason }: Damaged, { place }: Pick<Model, "place">): string {
  return `What can be saved: ${shellCommand(place, `recover ${id}`)} · ${reason}`;
}

/** How it stands, whether this process drives it, and what it waits for or has used. */
function aboutRow(row: LoopRow, model: Pick<Model, "driven" | "now">): Line {
  const { tone } = HEALTH_WORDS[row.health];
  const facts = [
    ...(row.undrivenSince === null ? [] : [`by nobody since ${row.undrivenSince.slice(0, 19)}Z`]),
    ...(row.until === null ? [] : [`goes on ${countdown(row.until, model.now)}`]),
    ...(row.waits === null ? [] : [row.waits]),
    ...(model.driven.has(row.id) ? ["driven here"] : []),
    `${Math.round(row.used.share * 100)} % of ${BOUND_WORDS[row.used.bound]} used`,
    ...(row.tags.length > 0 ? [row.tags.join(", ")] : []),
  ];
  return [span(rowStatus(row), tone), span(` · ${facts.join(" · ")}`)];
}

/** What stands where the list would be: how to begin, or why nothing fits. */
function emptyLines(state: HomeState, model: Model, columns: number): Line[] {
  const { rows, damaged, complete } = model.loops;
  if (rows.size + damaged.length > 0) {
    const what =
      state.search.text === "" ? "No loop is like that now." : "No loop fits the search.";
    return [line(`  ${what}`), line("  esc shows all of them again.", "quiet")];
  }
  if (!complete) return [line("  Reading the loops…", "quiet")];
  const key = (id: BindingId) => span(`  ${firstKey(id, model.keys)}`, "name");
  const about =
    "A loop drives one coding agent until your own tests prove that the work is done. It never runs away: iterations, time, turns and tokens are bounded.";
  return [
    line("  No loops here yet.", "strong"),
    blank,
    ...indented(wrapped(about, columns - 4), 2),
    blank,
    [key("home.new"), span("  make the first loop")],
    [key("home.doctor"), span("  check whether a loop can work here")],
    [key("app.help"), span("  all keys")],
    blank,
    [
      span("  Or in a shell: ", "quiet"),
      span(shellCommand(model.place, 'run --auto "TASK"'), "name"),
    ],
  ];
}

/** More than a person listens to; the search finds the others. */
const MOST = 200;

export function homePlain(state: HomeState, model: Model): Line[] {
  const { loops } = model;
  const list = listOf(state, loops);
  const shown = state.health === null ? "" : `, ${HEALTH_WORDS[state.health].name}`;
  const found = state.search.text === "" ? "" : `, with "${state.search.text}"`;
  const head = `${list.entries.length} of ${loops.total} loops${shown}${found}, ${SORT_WORDS[state.sort]}.`;
  if (list.entries.length === 0) return [nextStepLine(model), ...emptyLines(state, model, 100)];
  const selected = list.entries[numberOfSelected(state, list)];
  const left = list.lines.length - MOST;
  return [
    nextStepLine(model),
    line(head),
    ...list.lines.slice(0, MOST).map((item) => plainItemLine(item, item === selected, model)),
    ...(left > 0 ? [line(`And ${left} more; search for them.`)] : []),
  ];
}

function plainItemLine(item: Head | Entry, selected: boolean, model: Model): Line {
  if ("count" in item) return line(`${HEALTH_WORDS[item.health].name}: ${item.count}`);
  const mark = span(selected ? "> " : "- ");
  if (isDamaged(item)) {
    const text = `${item.id} is damaged: ${item.reason} See: ${shellCommand(model.place, `recover ${item.id}`)}`;
    return [mark, span(text, "bad")];
  }
  const { title, action, iteration, maxIterations, tests } = item;
  const run = tests === null ? "" : `, ${tests.passed} tests passed, ${tests.failed} failed`;
  const facts = `${title}: ${action ?? "no action yet"}, iteration ${iteration} of ${maxIterations}${run}, changed ${ageOf(item, model.now)} ago, `;
  return [mark, span(facts), ...aboutRow(item, model)];
}
