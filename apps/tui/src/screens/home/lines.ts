import { fieldLine } from "../../frame/field-line.ts";
import {
  blank,
  fit,
  type Line,
  line,
  lineWidth,
  type Size,
  type Span,
  selected,
  span,
} from "../../frame/line.ts";
import type { Model } from "../../model/model.ts";
import { HEALTHS, type Health } from "../../model/row.ts";
import { detailLines } from "./detail.ts";
import { emptyLines } from "./empty.ts";
import { nextStepLine } from "./next-step-line.ts";
import { type Entry, type Head, isDamaged, itemsFrom, lineCount, lineOf } from "./order.ts";
import { overviewOf } from "./overview.ts";
import { headLine, rowLine } from "./row-line.ts";
import { listOf, numberOfSelected } from "./selection.ts";
import type { HomeState } from "./state.ts";
import { HEALTH_WORDS, SORT_WORDS } from "./words.ts";

/** Rows of home that are no list: next step, filter, names of the columns, two of the selected loop. */
const AROUND = 5;

/** How many lines of the list are visible at once. */
export function listRows({ rows }: Size): number {
  return Math.max(1, rows - AROUND);
}

/** Touches the visible loops alone, however many there are. */
export function homeLines(state: HomeState, model: Model, size: Size): Line[] {
  const { columns } = size;
  const list = listOf(state, model.loops);
  const next = nextStepLine(model);
  const head = state.searching || state.search.text !== "" ? searchLine : filterLine;
  if (list.entries.length === 0) {
    return [next, head(state, model, columns), blank, ...emptyLines(state, model, columns)];
  }
  const rows = listRows(size);
  const line = lineOf(list, numberOfSelected(state, list));
  const first = Math.max(0, Math.min(lineCount(list) - rows, line - Math.floor(rows / 2)));
  const shown = itemsFrom(list, first, rows).map((item, i) => {
    const of = itemLine(item, { now: model.now, columns });
    return first + i === line ? marked(of, columns) : fit(of, columns);
  });
  return [
    next,
    head(state, model, columns),
    headLine(SORT_WORDS[state.sort], columns),
    ...shown,
    ...Array.from({ length: rows - shown.length }, () => blank),
    ...detailLines(state, model, columns),
  ];
}

/** With a sign as well, for who does not see the other way round. */
function marked([, ...rest]: Line, columns: number): Line {
  return selected(fit([span("> "), ...rest], columns));
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

/** Every health that there is with its number, and how far the list is read. */
function filterLine(state: HomeState, { loops }: Model, columns: number): Line {
  const { counts } = overviewOf(loops.rows);
  const short = columns < 80;
  const tab = (health: HomeState["health"], name: string, count: number): Span[] =>
    count === 0 && state.health !== health
      ? []
      : [{ ...span(` ${name} ${count} `, toneOf(health)), inverse: state.health === health }];
  const named = (health: Health | "damaged", count: number) =>
    tab(health, short ? HEALTH_WORDS[health].glyph : HEALTH_WORDS[health].short, count);
  const left = [
    ...tab(null, "All", loops.rows.size),
    ...HEALTHS.flatMap((health) => named(health, counts[health])),
    ...named("damaged", loops.damaged.length),
  ];
  const reading = loops.complete ? "" : `reading, ${loops.rows.size} of ${loops.total}`;
  return spread(left, reading, columns);
}

function toneOf(health: HomeState["health"]) {
  return health === null ? "plain" : HEALTH_WORDS[health].tone;
}

function searchLine(state: HomeState, { loops }: Model, columns: number): Line {
  const { length } = listOf(state, loops).entries;
  const of = state.health === null ? "" : ` ${HEALTH_WORDS[state.health].short.toLowerCase()}`;
  const found = `${length} of ${loops.rows.size}${of}`;
  const look = { columns: columns - found.length - 6, focused: state.searching };
  return spread([span(" / ", "name"), ...fieldLine(state.search, look)], found, columns);
}

/** One text at the left, which gives way to the one at the right end. */
function spread(left: Line, right: string, columns: number): Line {
  if (right === "") return fit(left, columns);
  const room = columns - lineWidth(line(right)) - 2;
  return [...fit(left, room), span(` ${right} `, "quiet")];
}
