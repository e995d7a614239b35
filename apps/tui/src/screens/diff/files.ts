import { bodyOf, lastFirst } from "../../frame/scroll.ts";
import type { Model } from "../../model/model.ts";
import { replaceScreen } from "../../model/stack.ts";
import type { Binding, Step } from "../screen.ts";
import type { DiffState } from "./state.ts";

/** Keys that go from file to file of the patch. */
export function fileBindings(screen: DiffState): readonly Binding[] {
  const starts = startsOf(screen);
  if (starts.length < 2) return [];
  const next = starts.find((at) => at > screen.scroll);
  const previous = starts.findLast((at) => at < screen.scroll);
  const go = (id: string, key: string, label: string, to: number | undefined): Binding[] =>
    to === undefined
      ? []
      : [{ id: `diff.${id}`, keys: [key], label, run: (model) => at(screen, model, to) }];
  return [
    ...go("next-file", "n", "next file", next),
    ...go("previous-file", "N", "previous file", previous),
  ];
}

function at(screen: DiffState, model: Model, to: number): Step {
  const last = lastFirst(screen.content?.length ?? 0, bodyOf(model.size).rows - 2);
  return { model: replaceScreen(model, { ...screen, scroll: Math.min(to, last) }) };
}

function startsOf({ content }: DiffState): number[] {
  return (content ?? []).flatMap(({ text }, i) => (text.startsWith("diff --git ") ? [i] : []));
}
