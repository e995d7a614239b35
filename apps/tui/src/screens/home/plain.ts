import { type Line, line, span } from "../../frame/line.ts";
import { type Model, shellCommand } from "../../model/model.ts";
import { aboutRow } from "./detail.ts";
import { emptyLines } from "./empty.ts";
import { nextStepLine } from "./next-step-line.ts";
import { type Entry, type Head, isDamaged, itemsFrom, lineCount } from "./order.ts";
import { ageOf } from "./row-line.ts";
import { listOf, numberOfSelected } from "./selection.ts";
import type { HomeState } from "./state.ts";
import { HEALTH_WORDS, SORT_WORDS } from "./words.ts";

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
  const left = lineCount(list) - MOST;
  return [
    nextStepLine(model),
    line(head),
    ...itemsFrom(list, 0, MOST).map((item) => plainItemLine(item, item === selected, model)),
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
