import { tryParseJson } from "../json.ts";
import { safeJson } from "./safe-text.ts";

/** The documents that carry a part of `skill_state`. */
export type DocumentName = "develop" | "debug" | "validate" | "summary";

/** What a document's data part turned out to be. */
export type DataPart =
  | { found: "whole"; value: unknown }
  | { found: "damaged" }
  | { found: "missing" };

const marker = (name: DocumentName): string => `<!-- ccw-loop:${name} `;

/**
 * The last line of a document: the data it was rendered from, as JSON in an HTML comment. The JSON holds no
 * `<`, `>` or line end, so nothing in it can close the comment or look like another one.
 */
export function dataPart(name: DocumentName, value: unknown): string {
  return `${marker(name)}${safeJson(value)} -->`;
}

/** Reads back what `dataPart` wrote: the last such line of the document. */
export function readDataPart(text: string, name: DocumentName): DataPart {
  const open = marker(name);
  const at = text.startsWith(open) ? 0 : text.lastIndexOf(`\n${open}`) + 1;
  if (!text.startsWith(open, at)) {
    return { found: text.includes("<!-- ccw-loop") ? "damaged" : "missing" };
  }
  const from = Math.max(at, text.lastIndexOf(`\n${open}`) + 1) + open.length;
  const newline = text.indexOf("\n", from);
  const line = text.slice(from, newline === -1 ? undefined : newline).trimEnd();
  if (!line.endsWith(" -->")) return { found: "damaged" };
  const value = tryParseJson(line.slice(0, -4));
  return value === undefined ? { found: "damaged" } : { found: "whole", value };
}
