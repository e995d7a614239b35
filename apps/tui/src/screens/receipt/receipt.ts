import type { Line, Size } from "../../frame/line.ts";
import { panel } from "../../frame/panel.ts";
import { bodyOf, windowOf } from "../../frame/scroll.ts";
import type { Model } from "../../model/model.ts";
import { replaceScreen } from "../../model/stack.ts";
import { pageBack } from "../moving.ts";
import { pageBindings } from "../page.ts";
import type { Binding, Screen } from "../screen.ts";
import { receiptContent } from "./content.ts";
import type { ReceiptState } from "./state.ts";

export const receiptScreen: Screen<ReceiptState> = {
  title: ({ id }) => `Receipt of ${id}`,
  place: "full",
  bindings: (screen) => [
    ...(screen.check === "running" ? [] : [checkBinding(screen)]),
    ...pageBindings(screen, (model) => extentOf(screen, model)),
    pageBack("receipt"),
  ],
  answered(screen, answer, model) {
    if (answer.call.name !== "verify" || answer.call.id !== screen.id) return undefined;
    if (!answer.ok) {
      return {
        model: replaceScreen(model, { ...screen, check: { refused: answer.error.message } }),
      };
    }
    return answer.name === "verify"
      ? { model: replaceScreen(model, { ...screen, check: answer.value, scroll: 0 }) }
      : undefined;
  },
  lines(screen, model, { columns, rows }) {
    const content = receiptContent(screen, model, columns - 2);
    const { lines, note } = windowOf(content, screen.scroll, rows - 2);
    return panel(lines, { columns, rows, title: "Receipt", focused: true, note });
  },
  plain: (screen, model): Line[] => receiptContent(screen, model, 1000),
};

function extentOf(screen: ReceiptState, model: Model) {
  const { columns, rows }: Size = bodyOf(model.size);
  return { rows: rows - 2, count: receiptContent(screen, model, columns - 2).length };
}

/** Runs the square again in clean rooms; takes as long as its tests do. */
function checkBinding(screen: ReceiptState): Binding {
  return {
    id: "receipt.check",
    keys: ["c"],
    label: "check it again",
    run: (model) => ({
      model: replaceScreen(model, { ...screen, check: "running", scroll: 0 }),
      effects: [{ type: "call", call: { name: "verify", id: screen.id } }],
    }),
  };
}
