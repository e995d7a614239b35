import { openObjections } from "@ccw-loop/core";
import { namedRows, nextText, sanitizeLine, whyRows } from "@ccw-loop/view";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { outcomeHint } from "../views/outcome.ts";

/** The next action with the rule that chose it and everything the rule looked at. */
export async function why(context: Context, id: string): Promise<Answer> {
  const loops = await context.parts.loops();
  const selection = await loops.why(id);
  const state = await loops.get(id);
  const { paint, hint } = context;
  const [heading, reason] = nextText(selection);
  const text = [
    `${paint("strong", heading)} ${sanitizeLine(outcomeHint(state, reason, hint))}`,
    ...namedRows(whyRows(selection, state, new Date()), paint),
  ];
  const data = { loop_id: id, ...selection, objections: openObjections(state) };
  return { data, text: text.join("\n") };
}
