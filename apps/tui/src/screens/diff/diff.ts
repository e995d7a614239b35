import { line } from "../../frame/line.ts";
import { panel } from "../../frame/panel.ts";
import { bodyOf, windowOf } from "../../frame/scroll.ts";
import { popScreen, replaceScreen, withNotice } from "../../model/stack.ts";
import { pageBack } from "../moving.ts";
import { pageBindings } from "../page.ts";
import type { Screen } from "../screen.ts";
import { diffContent } from "./content.ts";
import { fileBindings } from "./files.ts";
import type { DiffState } from "./state.ts";

export const diffScreen: Screen<DiffState> = {
  title: ({ from, to }) => `Diff of checkpoints ${from} to ${to}`,
  place: "full",
  bindings: (screen) => [
    ...fileBindings(screen),
    ...pageBindings(screen, ({ size }) => ({
      rows: bodyOf(size).rows - 2,
      count: screen.content?.length ?? 0,
    })),
    pageBack("diff"),
  ],
  answered(screen, answer, model) {
    const { call } = answer;
    if (call.name !== "diff" || call.id !== screen.id || call.to !== screen.to) return undefined;
    if (!answer.ok) return { model: withNotice(popScreen(model), answer.error.message, "bad") };
    if (answer.name !== "diff") return undefined;
    const content = diffContent(answer.value, screen.id, model.place);
    return { model: replaceScreen(model, { ...screen, content }) };
  },
  lines({ content, scroll, from, to }, _model, { columns, rows }) {
    const { lines, note } = windowOf(linesOf(content), scroll, rows - 2);
    const title = `Checkpoint ${from} to ${to}`;
    return panel(lines, { columns, rows, title, focused: true, note });
  },
  plain: ({ content }) => linesOf(content),
};

function linesOf(content: DiffState["content"]) {
  if (content === null) return [line("Asking …", "quiet")];
  return content.map(({ tone, text }) => line(text, tone));
}
