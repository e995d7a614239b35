/**
 * Does a turn without a model: in DEVELOP it runs the commands that stand in the task, each on a line behind `$ `; everything
 * else it answers with success. A model would be asked here.
 */
import { readTurn, runCommand, tell } from "./program.ts";

const { prompts } = await readTurn();
const prompt = prompts.at(-1) ?? "";
const [, action = "DEVELOP"] = /^# ACTION: (\w+)/.exec(prompt) ?? [];
const commands = new Set([...prompt.matchAll(/^\$ (.+)$/gm)].map(([, command = ""]) => command));
if (action === "DEVELOP") for (const command of commands) await runCommand(command);
const result = {
  action,
  status: "success",
  message: `Echoed ${commands.size} commands.`,
  state_updates:
    action === "INIT"
      ? { tasks: [{ description: "Run the commands of the task." }] }
      : { summary: "Ran the commands of the task." },
  files_updated: [],
};
tell({ type: "message.completed", text: JSON.stringify(result) });
