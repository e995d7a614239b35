import type { LoopDiff } from "@ccw-loop/core";
import { diffSum, fileRows, painter, patchLines, type TonedLine, table } from "@ccw-loop/view";
import { chopped, type Line, line, type Size } from "../components/line.ts";
import type { BindingId } from "../keys/defaults.ts";
import { calling } from "../model/effect.ts";
import {
  type Model,
  type Place,
  popScreen,
  replaceScreen,
  shellCommand,
  withNotice,
} from "../model/model.ts";
import type { Binding } from "../model/screen.ts";
import type { DiffState } from "../model/screen-states.ts";
import { bodyOf, lastFirst } from "../model/scroll.ts";
import { changing, opening } from "./bindings.ts";
import { textScreen } from "./page.tsx";

export const diffScreen = textScreen<DiffState>({
  title: ({ from, to }) => `Diff of checkpoints ${from} to ${to}`,
  heading: ({ from, to }) => `Checkpoint ${from} to ${to}`,
  bindings: diffBindings,
  answered(screen, answer, model) {
    if (answer.name !== "diff" || answer.call.id !== screen.id) return undefined;
    if (answer.call.to !== screen.to) return undefined;
    if (!answer.ok) return { model: withNotice(popScreen(model), answer.error.message, "bad") };
    const content = diffContent(answer.value, screen.id, model.place);
    return { model: replaceScreen(model, { ...screen, content }) };
  },
  clicked(screen, { index }, model) {
    const { size } = model;
    const text = textFor(screen, { columns: patchColumns(size), wide: true });
    // The sum stands above the files.
    const to = text?.starts[index - 1];
    if (text === undefined || to === undefined) return { model };
    const scroll = Math.min(to, lastScroll(text, size));
    return { model: replaceScreen(model, { ...screen, scroll }) };
  },
  content(screen, { size }, columns) {
    // Who hears it is told the files first.
    const wide = isWide(size) && columns === patchColumns(size);
    return textFor(screen, { columns, wide })?.lines ?? [line("Asking …", "quiet")];
  },
  beside(screen, size) {
    const text = isWide(size) ? textFor(screen, { columns: patchColumns(size), wide: true }) : null;
    if (!text || screen.content === null) return undefined;
    const lines = headOf(screen.content).map(({ tone, text }) => line(text, tone));
    // The sum stands above the files.
    return { title: "Files", columns: FILES, lines, at: 1 + fileAt(text, screen.scroll) };
  },
});

/** From so many columns on the files stand on the left of the patch. */
const WIDE = 110;

/** Columns for the files, with their frame. */
const FILES = 44;

function isWide({ columns }: Size): boolean {
  return columns >= WIDE;
}

function patchColumns({ columns }: Size): number {
  return columns - FILES - 2;
}

/** Sum and files, up to the blank line before the patch. */
function headOf(content: readonly TonedLine[]): readonly TonedLine[] {
  const end = content.findIndex(({ text }) => text === "");
  return end < 0 ? content : content.slice(0, end);
}

interface DiffText {
  lines: readonly Line[];
  /** Where the patch of each file begins. */
  starts: readonly number[];
}

/** The number of the file that a line belongs to. */
function fileAt({ starts }: DiffText, at: number): number {
  return Math.max(
    0,
    starts.findLastIndex((start) => start <= at),
  );
}

/** A large diff is laid out once for each width, not for each frame. */
const laidOut = new WeakMap<readonly TonedLine[], DiffText & { as: string }>();

/** What is shown in that many columns; beside the files only the patch. Undefined until it is there. */
function textFor(
  { content, wraps }: DiffState,
  { columns, wide }: { columns: number; wide: boolean },
): DiffText | undefined {
  if (content === null) return undefined;
  const as = `${wraps ? columns : ""} ${wide}`;
  const known = laidOut.get(content);
  if (known?.as === as) return known;
  const shown = wide ? content.slice(headOf(content).length + 1) : content;
  const starts: number[] = [];
  const lines: Line[] = [];
  for (const { tone, text } of shown) {
    if (text.startsWith("diff --git ")) starts.push(lines.length);
    for (const row of wraps ? chopped(text, columns) : [text]) lines.push(line(row, tone));
  }
  const made = { lines, starts, as };
  laidOut.set(content, made);
  return made;
}

function lastScroll({ lines }: DiffText, size: Size): number {
  return lastFirst(lines.length, bodyOf(size).rows - 2);
}

/** Asks for what changed between two checkpoints, and shows it. */
export const openDiff = (id: string, range: { from: number; to: number }) =>
  opening(
    { kind: "diff", id, ...range, content: null, scroll: 0, wraps: false },
    calling({ name: "diff", id, ...range }),
  );

/** Keys that go from file to file of the patch, and that say what becomes of long lines. */
function diffBindings(screen: DiffState, model: Model): readonly Binding[] {
  const { size } = model;
  const wide = isWide(size);
  const columns = wide ? patchColumns(size) : size.columns - 2;
  const text = textFor(screen, { columns, wide });
  if (text === undefined) return [];
  const { wraps, scroll } = screen;
  const { starts } = text;
  const last = lastScroll(text, size);
  const go = (id: BindingId, label: string, to: number | undefined): Binding[] => {
    const next = { ...screen, scroll: Math.min(to ?? 0, last) };
    return to === undefined ? [] : [{ id, label, run: changing(next) }];
  };
  const next = starts.find((at) => at > scroll);
  const previous = starts.findLast((at) => at < scroll);
  return [
    ...(starts.length < 2 ? [] : go("diff.next-file", "next file", next)),
    ...(starts.length < 2 ? [] : go("diff.previous-file", "previous file", previous)),
    {
      id: "diff.wrap",
      label: wraps ? "cut lines" : "wrap lines",
      // The same file stays in sight.
      run: changing({ ...screen, wraps: !wraps, scroll: starts[fileAt(text, scroll)] ?? 0 }),
    },
  ];
}

/** Nobody reads more here; git tells the rest. */
const MOST_FILES = 500;
const MOST_LINES = 20_000;
const MOST_CHARACTERS = 4_000_000;

/** Sum, files and patch of a diff; what is left out of a huge one is said at the end. */
export function diffContent(diff: LoopDiff, id: string, place: Place): TonedLine[] {
  const files = diff.files.slice(0, MOST_FILES);
  const rows = fileRows(files);
  const texts = rows.length === 0 ? [] : table(["", "", ""], rows, PLAIN).slice(1);
  const more = diff.files.length - files.length;
  const patch = diff.patch.slice(0, MOST_CHARACTERS).split("\n", MOST_LINES);
  const text = patch.join("\n");
  const left = Math.max(1, Math.round((1 - text.length / diff.patch.length) * 100));
  const whole = shellCommand(place, `diff ${id} ${diff.from}..${diff.to}`);
  const leftOut = `… ${left} % of the patch is left out here; all of it: ${whole}`;
  return [
    { tone: "strong", text: diffSum(diff) },
    ...texts.map((text, i): TonedLine => ({ tone: rows[i]?.tone ?? "plain", text })),
    ...(more > 0 ? [{ tone: "warning" as const, text: `… and ${more} files more` }] : []),
    { tone: "plain", text: "" },
    ...patchLines(text).map((one) => ({ ...one, text: one.text.replaceAll("\t", "    ") })),
    ...(text.length < diff.patch.length ? [{ tone: "warning" as const, text: leftOut }] : []),
  ];
}

const PLAIN = { columns: undefined, paint: painter(false) };
