import type { Cell, LoopState, TestStates } from "@ccw-loop/core";
import { formatDuration, type SquareCell } from "@ccw-loop/view";
import { type Line, line, namedLines, wrapped } from "../components/line.ts";
import { squareLines } from "../components/square.ts";
import type { BindingId } from "../keys/defaults.ts";
import { type Model, openedState } from "../model/model.ts";
import type { Binding } from "../model/screen.ts";
import type { SquareState } from "../model/screen-states.ts";
import { changing, opening } from "./bindings.ts";
import { textScreen } from "./page.tsx";

type Name = SquareCell["name"];

/** What each run was of. */
const ABOUT: Readonly<Record<Name, string>> = {
  baseline: "The tests at the start with the sources at the start: what was green, what was red.",
  verdict:
    "The tests at the start with the sources of now: every test that was green, and every test to be fixed, has to be green.",
  counterfactual:
    "The tests of now with the sources at the start: at least one test that is green now has to be red here.",
  present: "The tests of now with the sources of now: nothing may fail that has to pass.",
};

const NAMES = Object.keys(ABOUT) as Name[];

/** The square of the newest receipt, and the tests of one of its runs. */
export const squareScreen = textScreen<SquareState>({
  title: ({ id }) => `Square of ${id}`,
  heading: ({ cell }) => `Square: ${cell}`,
  bindings: (screen) => [
    stepBinding(screen, "square.next", "next run", 1),
    stepBinding(screen, "square.before", "run before", -1),
  ],
  content: squareContent,
});

function stepBinding(screen: SquareState, id: BindingId, label: string, by: 1 | -1): Binding {
  const cell = NAMES.at((NAMES.indexOf(screen.cell) + by) % NAMES.length) ?? screen.cell;
  return { id, label, run: changing({ ...screen, cell, scroll: 0 }) };
}

/** A key that opens it; none without a square. */
export function squareBindings(
  id: "loop.square" | "receipt.square",
  state: LoopState | undefined,
): Binding[] {
  if (!state?.receipts?.at(-1)?.square) return [];
  const screen: SquareState = { kind: "square", id: state.loop_id, cell: "verdict", scroll: 0 };
  return [{ id, label: "its tests", run: opening(screen) }];
}

function squareContent({ cell: name }: SquareState, model: Model, columns: number): Line[] {
  const state = openedState(model);
  const square = state?.receipts?.at(-1)?.square;
  if (!state || !square) return [line("There is no square: no proof was made.", "quiet")];
  const cell = square.cells[name];
  return [
    ...squareLines(square, columns, name),
    line(""),
    ...wrapped(ABOUT[name], columns, "name"),
    ...(cell ? cellLines(cell, columns) : [line("It was not run.", "quiet")]),
    ...(name === "counterfactual"
      ? listed("Witnesses, red here and green now", square.witnesses, columns, "good")
      : []),
    ...(cell ? testsOf(name, cell, state, columns) : []),
  ];
}

function cellLines({ command, where, reason, duration_ms }: Cell, columns: number): Line[] {
  const place = where === "clean_room" ? "in a clean room" : "in the project";
  return namedLines(
    [
      ["Result", [reason]],
      ["Command", [`${command}, ${place}, ${formatDuration(duration_ms)}`]],
    ],
    columns,
  );
}

/** Of most runs it is known how every test ended, of the others which were red. */
function testsOf(name: Name, cell: Cell, state: LoopState, columns: number): Line[] {
  const { failed, counts } = cell;
  const known = {
    baseline: state.baseline?.tests,
    verdict: verdictTests(cell, state),
    counterfactual: undefined,
    present: state.receipts?.at(-1)?.tests,
  }[name];
  const ended = (how: string) =>
    Object.entries(known ?? {}).flatMap(([id, one]) => (one === how ? [id] : []));
  const red = known ? ended("failed") : failed;
  const more = counts.failed - red.length;
  return [
    ...listed("Red", red, columns, "bad"),
    ...(more > 0 ? [line(`  … and ${more} more`, "bad")] : []),
    ...listed("Green", ended("passed"), columns, "good"),
    ...listed("Skipped", ended("skipped"), columns, "quiet"),
  ];
}

/** The tests of the start: those that are not red passed, where they are as many as passed. */
function verdictTests({ failed, counts }: Cell, { baseline }: LoopState): TestStates | undefined {
  const red = new Set(failed);
  const tests = Object.entries(baseline?.tests ?? {}).map(
    ([id, before]) =>
      [id, red.has(id) ? "failed" : before === "skipped" ? before : "passed"] as const,
  );
  const isKnown = tests.filter(([, now]) => now === "passed").length === counts.passed;
  return isKnown ? Object.fromEntries(tests) : undefined;
}

function listed(
  name: string,
  tests: readonly string[],
  columns: number,
  tone: "bad" | "good" | "quiet",
): Line[] {
  if (tests.length === 0) return [];
  return [
    line(""),
    line(`${name}: ${tests.length}`, tone),
    ...tests.flatMap((id) => wrapped(`  ${id}`, columns)),
  ];
}
