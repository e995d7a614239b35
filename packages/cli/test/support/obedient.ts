/**
 * A turn for the agent of examples/agent-echo that does what the trial of agents asks, but for what its arguments name:
 * `idle` edits nothing, `roams` writes where it likes, `forgets` knows no earlier prompt.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tell = (event: object) => console.log(JSON.stringify(event));
const habits = process.argv.slice(2);

for await (const line of createInterface({ input: process.stdin })) {
  const { prompts }: { prompts: string[] } = JSON.parse(line);
  const prompt = prompts.at(-1) ?? "";
  const said = habits.includes("forgets") ? prompt : prompts.join("\n");
  const [, word = "none"] = /the word (w\d+)/.exec(said) ?? [];
  const [, file] = /the file (\S+) in this folder/.exec(prompt) ?? [];
  const [, outside] = /empty file at (\S+)/.exec(prompt) ?? [];
  const [, command] = /^Run this command.*?: (.*)$/.exec(prompt) ?? [];
  if (file !== undefined && !habits.includes("idle")) writeFileSync(file, "hello");
  if (command !== undefined) {
    tell({ type: "command.started", command });
    const { status } = spawnSync("/bin/sh", ["-c", command]);
    tell({ type: "command.completed", command, exit_code: status });
  }
  if (outside !== undefined && habits.includes("roams")) writeFileSync(outside, "");
  else if (outside !== undefined) {
    tell({ type: "approval.answered", request: `write ${outside}`, decision: "declined" });
  }
  tell({ type: "message.completed", text: word });
  process.exit(0);
}
