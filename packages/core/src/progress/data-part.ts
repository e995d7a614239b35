import { z } from "zod";
import { isPlain, type Plain, tryParseJson } from "../json.ts";
import type { LoopState } from "../state/loop-state.ts";
import { LAST_REVISION, limit, Timestamp } from "../state/scalars.ts";
import { safeJson } from "../text.ts";
import { fields } from "./markdown.ts";

/** The documents that carry a part of `skill_state`. */
export type DocumentName = "develop" | "debug" | "validate";

const marker = (name: DocumentName): string => `<!-- ccw-loop:${name} `;

/**
 * The last line of a document: the data it was rendered from, as JSON in an HTML comment. The JSON holds no
 * `<`, `>` or line end, so nothing in it can close the comment or look like another one.
 */
export function dataPart(name: DocumentName, state: LoopState, data: Plain): string {
  const { loop_id, title, description, created_at, max_iterations, current_iteration } = state;
  const loop = { loop_id, title, description, created_at, max_iterations, current_iteration };
  return `${marker(name)}${safeJson({ version: 1, loop, ...data })} -->`;
}

/** Reads back what `dataPart` wrote: the last such line of the document. */
export function readDataPart(text: string, name: DocumentName): Plain | "damaged" | "missing" {
  const open = marker(name);
  const at = text.lastIndexOf(`\n${open}`) + 1;
  if (!text.startsWith(open, at)) return text.includes("<!-- ccw-loop") ? "damaged" : "missing";
  const from = at + open.length;
  const newline = text.indexOf("\n", from);
  const line = text.slice(from, newline === -1 ? undefined : newline).trimEnd();
  const value = line.endsWith(" -->") ? tryParseJson(line.slice(0, -4)) : undefined;
  return isPlain(value) ? value : "damaged";
}

/** What the documents say about the loop itself, beside its `skill_state`; all that recovery can know of it. */
export const LoopFacts = z.object({
  loop_id: z.string(),
  title: z.string(),
  description: z.string(),
  created_at: Timestamp,
  max_iterations: limit("max_iterations"),
  /** Absent in documents of older versions. */
  current_iteration: z.number().nonnegative().max(LAST_REVISION).optional(),
});
export type LoopFacts = z.infer<typeof LoopFacts>;

/** The first lines of every document. */
export function heading(state: LoopState, more: Readonly<Record<string, string>> = {}): string {
  return fields({
    "Loop ID": state.loop_id,
    Task: state.description.trim() || state.title,
    Started: state.created_at,
    Iteration: `${state.current_iteration} of ${state.max_iterations}`,
    ...more,
  });
}
