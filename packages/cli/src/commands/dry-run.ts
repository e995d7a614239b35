import { LoopError, openTasks, taskCommand, visible } from "@ccw-loop/core";
import { nextText, sanitizeLine } from "@ccw-loop/view";
import type { Context } from "../runtime/context.ts";
import type { Answer } from "../runtime/perform.ts";

/** What a loop would do next, and every command that would be run for a task of it. Nothing is changed, nothing is run. */
export async function dryRun(context: Context, id: string | undefined): Promise<Answer> {
  if (id === undefined) {
    throw new LoopError(
      "invalid_input",
      "--dry-run is for a loop that exists: a new one has no tasks yet. Name it with --loop-id, or make it first with: ccw-loop start TASK",
    );
  }
  const loops = await context.parts.loops();
  const selection = await loops.why(id);
  const state = await loops.get(id);
  const commands = openTasks(state).flatMap((task) => {
    const command = taskCommand(task);
    return command === null ? [] : [{ task_id: task.id, command }];
  });
  const [heading, reason] = nextText(selection);
  const text = [
    `${context.paint("strong", heading)} ${sanitizeLine(reason)}`,
    ...(commands.length === 0 ? ["No open task is a command."] : ["Commands of open tasks:"]),
    ...commands.map(({ task_id, command }) => commandText(task_id, command)),
    ...(selection.action === "INIT" ? ["The agent may plan more of them."] : []),
  ];
  return {
    data: { loop_id: id, action: selection.action, reason, commands },
    text: text.join("\n"),
  };
}

/** Every line of it, each below the one before; nothing of it is hidden. */
function commandText(id: string, command: string): string {
  const head = `  ${sanitizeLine(id)}  $ `;
  return head + visible(command.trimEnd()).replaceAll("\n", `\n${" ".repeat(head.length)}`);
}
