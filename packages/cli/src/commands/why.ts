import type { Answer } from "../answer.ts";
import type { Context } from "../context.ts";
import { inertLine } from "../text/inert-text.ts";
import { namedRows } from "../text/rows.ts";

/** The next action with the rule that chose it and everything the rule looked at. */
export async function why(context: Context, id: string): Promise<Answer> {
  const selection = await (await context.parts.loops()).why(id);
  const { action, rule, reason, guards, driven_by } = selection;
  const { paint } = context;
  const text = [
    `${paint("strong", action === null ? "Nothing is next:" : `Next is ${action}:`)} ${inertLine(reason)}`,
    ...namedRows(
      [
        ["Rule", [String(rule)]],
        ["Driven by", [driven_by ?? "nobody"]],
        ...guards.map(({ name, value }): [string, string[]] => [name, [String(value ?? "none")]]),
      ],
      paint,
    ),
  ];
  return { data: { loop_id: id, ...selection }, text: text.join("\n") };
}
