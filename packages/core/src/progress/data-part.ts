import { z } from "zod";
import { isPlain, type Plain, tryParseJson } from "../json.ts";
import type { LoopState } from "../state/loop-state.ts";
import { LAST_REVISION, limit, Timestamp } from "../state/scalars.ts";
import { SkillState } from "../state/skill-state.ts";
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

/** What the progress documents tell. `notes` are sentences for the user about what they do not. */
export interface ParsedProgress {
  /** Null when no document says anything: the loop has no plan yet. */
  skill_state: SkillState | null;
  /** The loop's own fields, as far as any document says them, null when none does. */
  loop: LoopFacts | null;
  notes: string[];
}

const PARTS = ["develop", "debug", "validate"] as const satisfies DocumentName[];

/**
 * Reads progress documents, by file name, back into `skill_state`. Exact for what `renderProgress` wrote; of a document
 * whose data part is missing or damaged (of an older tool, cut off) nothing is read.
 */
export function parseProgress(files: Readonly<Record<string, string>>): ParsedProgress {
  if (PARTS.every((name) => files[`${name}.md`] === undefined)) {
    return { skill_state: null, loop: null, notes: ["There are no progress documents."] };
  }
  const notes: string[] = [];
  const told: LoopFacts[] = [];
  const raw: Plain = {};
  for (const name of PARTS) {
    const part = dataOf(files[`${name}.md`], name);
    if (typeof part === "string") {
      notes.push(part);
      continue;
    }
    const facts = LoopFacts.safeParse(part.loop);
    if (facts.success) told.push(facts.data);
    const rest = isPlain(part.skill_state) ? part.skill_state : {};
    const fields = { ...rest, [name]: part[name] };
    if (isPlain(part[name]) && SkillState.safeParse(fields).success) Object.assign(raw, fields);
    else notes.push(`${name}.md: its data part is damaged.`);
  }
  if (raw.mode === undefined && files["develop.md"] !== undefined) {
    notes.push(
      "The mode, the last action and the recorded errors are unknown; interactive is assumed.",
    );
  }
  const known = Object.keys(raw).length > 0;
  return { skill_state: known ? SkillState.parse(raw) : null, loop: factsOf(told), notes };
}

/** What the data parts say of the loop. The highest iteration counts. */
function factsOf(told: readonly LoopFacts[]): LoopFacts | null {
  const [first] = told;
  if (first === undefined) return null;
  const iterations = told.flatMap(({ current_iteration }) => current_iteration ?? []);
  return iterations.length > 0 ? { ...first, current_iteration: Math.max(...iterations) } : first;
}

function dataOf(text: string | undefined, name: DocumentName): Plain | string {
  if (text === undefined) return `${name}.md is missing; nothing is known about ${name}.`;
  const part = readDataPart(text, name);
  return typeof part === "string" ? `${name}.md: its data part is ${part}.` : part;
}
