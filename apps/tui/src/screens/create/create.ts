import { edited } from "../../model/field.ts";
import { replaceScreen, withNotice, withoutScreen } from "../../model/stack.ts";
import { openLoop } from "../loop/open.ts";
import type { Screen } from "../screen.ts";
import { createBindings } from "./bindings.ts";
import { FIELDS } from "./fields.ts";
import { createLines, createPlain } from "./lines.ts";
import type { CreateState } from "./state.ts";

export const createScreen: Screen<CreateState> = {
  title: () => "New loop",
  place: "full",
  bindings: createBindings,
  typed(state, press, model) {
    const { focus, fields } = state;
    const chosen = FIELDS[focus].choices !== undefined;
    const field = state.busy || chosen ? undefined : edited(fields[focus], press);
    if (field === undefined) return { model };
    const next = { ...state, fields: { ...fields, [focus]: field }, refused: null };
    return { model: replaceScreen(model, next) };
  },
  answered(state, answer, model) {
    if (answer.name !== "create" || !state.busy) return undefined;
    if (!answer.ok) {
      const refused = answer.error.message;
      return { model: replaceScreen(model, { ...state, busy: false, refused }) };
    }
    const { loop_id: id } = answer.value;
    return openLoop(withNotice(withoutScreen(model, "create"), `Loop ${id} is made.`, "good"), id);
  },
  lines: createLines,
  plain: createPlain,
};
