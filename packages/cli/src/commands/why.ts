import { openObjections } from "@ccw-loop/core";
import { countdown, few, inertLine, namedRows, objectionText } from "@ccw-loop/view";
import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";

/** The next action with the rule that chose it and everything the rule looked at. */
export async function why(context: Context, id: string): Promise<Answer> {
  const loops = await context.parts.loops();
  const selection = await loops.why(id);
  const state = await loops.get(id);
  const objections = openObjections(state);
  const left = state.status === "running" && state.waiting && countdown(state.waiting, new Date());
  const { action, rule, reason, guards, driven_by } = selection;
  const { paint } = context;
  const text = [
    `${paint("strong", action === null ? "Nothing is next:" : `Next is ${action}:`)} ${inertLine(reason)}`,
    ...namedRows(
      [
        ["Rule", [String(rule)]],
        ["Driven by", [driven_by ?? "nobody"]],
        ...guards.map(({ name, value }) => [name, [String(value ?? "none")]] as const),
        ["Goes on", left ? [left] : []],
        ["Objections", few(objections.map(objectionText), 20)],
      ],
      paint,
    ),
  ];
  return { data: { loop_id: id, ...selection, objections }, text: text.join("\n") };
}
