import { isPlain, type Plain } from "../json.ts";
import { SkillState } from "../state/skill-state.ts";
import { type DocumentName, LoopFacts, readDataPart } from "./data-part.ts";

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

/** The data part of a document, or why there is none. */
function dataOf(text: string | undefined, name: DocumentName): Plain | string {
  if (text === undefined) return `${name}.md is missing; nothing is known about ${name}.`;
  const part = readDataPart(text, name);
  return typeof part === "string" ? `${name}.md: its data part is ${part}.` : part;
}
