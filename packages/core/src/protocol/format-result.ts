import type { ActionResult, FileUpdate } from "./action-result.ts";
import { fileItem } from "./file-item.ts";
import { keyLine } from "./lines.ts";
import { lastTextBlock } from "./text-block.ts";

/**
 * A result as an agent would write it: `text` is the block of the seeds, `json` the object. What would not be
 * read back as it is (a heading inside a message, a colon inside a path) is written as a JSON string.
 */
export function formatActionResult(result: ActionResult, form: "text" | "json" = "text"): string {
  if (form === "json") return JSON.stringify(result, null, 2);
  const plain = block(result, indented(result.message));
  const survives = lastTextBlock(plain).last?.result?.message === result.message;
  return survives ? plain : block(result, JSON.stringify(result.message));
}

function block(result: ActionResult, message: string): string {
  const lines = [
    "ACTION_RESULT:",
    `- action: ${result.action}`,
    `- status: ${result.status}`,
    `- message: ${message}`,
    `- state_updates: ${JSON.stringify(result.state_updates, null, 2)}`,
    "",
    "FILES_UPDATED:",
    ...result.files_updated.map(fileLine),
    "",
    `NEXT_ACTION_NEEDED: ${result.next_action}`,
  ];
  return `${lines.join("\n")}\n`;
}

function indented(message: string): string {
  return message.replaceAll("\n", "\n  ");
}

function fileLine(file: FileUpdate): string {
  const plain = `- ${file.path}: ${file.description}`;
  const line = plain.trimEnd();
  const safe = !line.includes("\n") && keyLine(line, 0, line.length) === undefined;
  if (safe && isSame(fileItem(line), file)) return line;
  return `- ${JSON.stringify(file.path)}: ${JSON.stringify(file.description)}`;
}

function isSame(read: FileUpdate | null | undefined, file: FileUpdate): boolean {
  return read?.path === file.path && read.description === file.description;
}
