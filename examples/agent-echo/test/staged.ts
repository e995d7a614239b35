/** A program that does what its argument, a file, says: what a model would decide. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { StagedTurn } from "@ccw-loop/testkit/contracts";
import { readTurn, runCommand, tell } from "../src/program.ts";

const { edit, command, end }: StagedTurn = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
await readTurn();
if (edit) {
  await writeFile(edit.path, edit.content);
  tell({ type: "files.changed", paths: [edit.path] });
}
if (command !== undefined) await runCommand(command);
if (end === "die") process.exit(1);
if (end === "hang") {
  tell({ type: "message.delta", text: "Let me " });
  setInterval(() => undefined, 60_000);
} else if ("answer" in end) tell({ type: "message.completed", text: end.answer });
