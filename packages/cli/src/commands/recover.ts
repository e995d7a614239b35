import { type Recovery, statusText } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";
import { canAsk, confirm } from "../runtime/prompt.ts";

const SOURCES = {
  journal: "its history, its journal or its state file",
  documents: "its progress documents and task list",
} as const satisfies Record<Recovery["source"], string>;

/** Shows what a recovery would do; does it with `--yes`, or after a yes on a terminal. */
export async function recover(
  context: Context,
  id: string,
  { yes }: { yes?: true },
): Promise<Answer> {
  const loops = await context.parts.loops();
  const plan = await loops.recover(id, { dryRun: true });
  let agreed = yes === true;
  if (!agreed && !context.json && canAsk(context.io)) {
    for (const line of planLines(id, plan)) context.say(line);
    agreed = await confirm(context.io, "Do it?");
  }
  const done = agreed ? await loops.recover(id, { dryRun: false }) : plan;
  const last = agreed
    ? `Loop ${id} is recovered. Look at it with: ccw-loop show ${id}`
    : `Nothing was changed. Do it with: ccw-loop recover ${id} --yes`;
  return {
    data: { loop_id: id, recovered: agreed, ...done },
    text: [...planLines(id, done), context.hint(last)].join("\n"),
  };
}

function planLines(id: string, { source, state, unknown, notes }: Recovery): string[] {
  return [
    `Loop ${id} can be rebuilt from ${SOURCES[source]}.`,
    `  status ${statusText(state)}, iteration ${state.current_iteration} of ${state.max_iterations}: ${sanitizeLine(state.title)}`,
    ...(unknown.length > 0 ? [`  not known any more: ${unknown.join(", ")}`] : []),
    ...notes.map((note) => `  ${sanitizeLine(note)}`),
  ];
}
