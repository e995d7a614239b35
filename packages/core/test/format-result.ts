import type { ActionResult } from "../src/protocol/action-result.ts";
import { keyLine, listedPath } from "../src/protocol/lines.ts";
import { lastTextBlock } from "../src/protocol/text-block.ts";

/**
 * A result as an agent would write it: `text` is the block of the seeds, `json` the object. What would not be read back
 * as it is, with its line ends or without them (a heading inside a message, a colon inside a path), is written as a JSON
 * string. The text says `description` of every file, which nobody reads.
 */
export function formatActionResult(
  result: ActionResult,
  form: "text" | "json" = "text",
  description = "new",
): string {
  if (form === "json") return JSON.stringify(result, null, 2);
  const plain = result.message.replaceAll("\n", "\n  ");
  const quoted = JSON.stringify(result.message);
  const files = result.files_updated.map((path) => fileLine(path, description));
  const tries = [
    ...(isUnclear(result.message) ? [] : [block(result, plain, files)]),
    block(result, quoted, files),
  ];
  const found = tries.find((text) => survives(text, result));
  if (found !== undefined) return found;
  return block(
    result,
    quoted,
    result.files_updated.map((path) => quotedLine(path, description)),
  );
}

function block(result: ActionResult, message: string, files: readonly string[]): string {
  const lines = [
    "ACTION_RESULT:",
    `- action: ${result.action}`,
    `- status: ${result.status}`,
    `- message: ${message}`,
    `- state_updates: ${JSON.stringify(result.state_updates, null, 2)}`,
    "",
    "FILES_UPDATED:",
    ...files,
    "",
    "NEXT_ACTION_NEEDED: NONE",
  ];
  return `${lines.join("\n")}\n`;
}

function survives(text: string, result: ActionResult): boolean {
  const read = lastTextBlock(text).last?.result;
  const onOneLine = lastTextBlock(text.replaceAll(BLANKS, " ")).last?.result;
  return JSON.stringify(read) === JSON.stringify(result) && folded(onOneLine) === folded(result);
}

/**
 * Whether a reader could take a part of the message for the block's: a later line that begins like a field, or would if
 * the next field stood behind it; a quote that nothing closes.
 */
function isUnclear(message: string): boolean {
  const [, ...lines] = `${message} action:`.split("\n");
  const fields = lines.some((line) => keyLine(line, 0, line.length) !== undefined);
  return fields || hasOpenQuote(message);
}

function hasOpenQuote(text: string): boolean {
  return text.split('"').length % 2 === 0;
}

const BLANKS = /[ \t\r\n]+/g;

/** A result whose texts have no line ends any more. */
function folded(result: ActionResult | undefined): string | undefined {
  return JSON.stringify(result, (_, value: unknown) =>
    typeof value === "string" ? value.replaceAll(BLANKS, " ") : value,
  );
}

function fileLine(path: string, description: string): string {
  const line = `- ${path}: ${description}`.trimEnd();
  const safe =
    !line.includes("\n") && !hasOpenQuote(line) && keyLine(line, 0, line.length) === undefined;
  return safe && listedPath(line) === path ? line : quotedLine(path, description);
}

function quotedLine(path: string, description: string): string {
  return `- ${JSON.stringify(path)}: ${JSON.stringify(description)}`;
}
