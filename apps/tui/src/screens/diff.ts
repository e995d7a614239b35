import type { LoopDiff } from "@ccw-loop/core";
import { diffSum, fileRows, painter, patchLines, type TonedLine, table } from "@ccw-loop/view";
import { line } from "../components/line.ts";
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
import type { Binding, Step } from "../model/screen.ts";
import type { DiffState } from "../model/screen-states.ts";
import { bodyOf, lastFirst } from "../model/scroll.ts";
import { opening } from "./bindings.ts";
import { textScreen } from "./page.tsx";

export const diffScreen = textScreen<DiffState>({
  title: ({ from, to }) => `Diff of checkpoints ${from} to ${to}`,
  heading: ({ from, to }) => `Checkpoint ${from} to ${to}`,
  bindings: fileBindings,
  answered(screen, answer, model) {
    if (answer.name !== "diff" || answer.call.id !== screen.id) return undefined;
    if (answer.call.to !== screen.to) return undefined;
    if (!answer.ok) return { model: withNotice(popScreen(model), answer.error.message, "bad") };
    const content = diffContent(answer.value, screen.id, model.place);
    return { model: replaceScreen(model, { ...screen, content }) };
  },
  content: ({ content }) =>
    content?.map(({ tone, text }) => line(text, tone)) ?? [line("Asking …", "quiet")],
});

/** Asks for what changed between two checkpoints, and shows it. */
export const openDiff = (id: string, range: { from: number; to: number }) =>
  opening(
    { kind: "diff", id, ...range, content: null, scroll: 0 },
    calling({ name: "diff", id, ...range }),
  );

/** Keys that go from file to file of the patch. */
function fileBindings(screen: DiffState): readonly Binding[] {
  const starts = startsOf(screen);
  if (starts.length < 2) return [];
  const next = starts.find((at) => at > screen.scroll);
  const previous = starts.findLast((at) => at < screen.scroll);
  const go = (id: BindingId, label: string, to: number | undefined): Binding[] =>
    to === undefined ? [] : [{ id, label, run: (model) => at(screen, model, to) }];
  return [
    ...go("diff.next-file", "next file", next),
    ...go("diff.previous-file", "previous file", previous),
  ];
}

function at(screen: DiffState, model: Model, to: number): Step {
  const last = lastFirst(screen.content?.length ?? 0, bodyOf(model.size).rows - 2);
  return { model: replaceScreen(model, { ...screen, scroll: Math.min(to, last) }) };
}

function startsOf({ content }: DiffState): number[] {
  return (content ?? []).flatMap(({ text }, i) => (text.startsWith("diff --git ") ? [i] : []));
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
