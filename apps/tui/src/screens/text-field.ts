import type { BindingId, ScreensWith } from "../keys/defaults.ts";
import { type Answer, type Call, calling } from "../model/effect.ts";
import { emptyText, type Field, fieldOf, inserted } from "../model/field.ts";
import { type Model, replaceScreen, withNotice } from "../model/model.ts";
import type { Binding, Step } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { asking, changing } from "./bindings.ts";

/** The screen with another text in its field. */
type Put = (field: Field) => ScreenState;

/** Keys of a field of many lines. */
export function textBindings(
  screen: ScreensWith<"newline" | "editor">,
  field: Field,
  put: Put,
): Binding[] {
  const named = (name: "newline" | "editor"): BindingId => `${screen}.${name}`;
  const edit: Call = { name: "edit", text: field.text };
  return [
    {
      id: named("newline"),
      label: "new line",
      run: (model) => changing(put(inserted(field, "\n")))(model),
    },
    { id: named("editor"), label: "editor", run: asking(calling(edit)) },
  ];
}

/** A text that only names a file, as `@notes.md`, stands for that file: this asks for it. */
export function readingOf({ text }: Field): Call | undefined {
  const [, file] = /^@(\S+)$/.exec(text.trim()) ?? [];
  return file === undefined ? undefined : { name: "read", file };
}

/** Puts what came back from an editor or a file into the field, to be looked at; undefined for another answer. */
export function textAnswered(answer: Answer, model: Model, put: Put): Step | undefined {
  if (answer.name !== "edit" && answer.name !== "read") return undefined;
  if (!answer.ok) return { model: withNotice(model, answer.error.message, "bad") };
  const filled = replaceScreen(model, put(fieldOf(answer.value, emptyText)));
  if (answer.name === "edit") return { model: filled };
  const words = `This is the text of ${answer.call.file}. Send it, or change it first.`;
  return { model: withNotice(filled, words, "good") };
}
