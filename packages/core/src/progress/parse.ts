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
  const names: DocumentName[] = [...PARTS, "summary"];
  if (names.every((name) => files[`${name}.md`] === undefined)) {
    return { skill_state: null, loop: null, notes: ["There are no progress documents."] };
  }
  const notes: string[] = [];
  const data = (name: DocumentName) => dataOf(files[`${name}.md`], name, notes);
  const develop = data("develop");
  const stored = files["summary.md"] === undefined ? undefined : data("summary");
  const parts = { develop, debug: data("debug"), validate: data("validate") };
  const rest = fitting(develop?.skill_state);
  if (develop && !rest) notes.push("develop.md: the fields beside `develop` are unreadable.");
  if (!develop && files["develop.md"] !== undefined) {
    notes.push(
      "The mode, the last action and the recorded errors are unknown; interactive is assumed.",
    );
  }
  const raw: Plain = { ...rest };
  for (const name of PARTS) {
    const value = fitting({ [name]: parts[name]?.[name] })?.[name];
    if (isPlain(value)) raw[name] = value;
    else if (parts[name]) notes.push(`${name}.md: its data part is damaged.`);
  }
  const summary = develop?.summarized === false ? undefined : stored?.summary;
  if (isPlain(summary)) raw.summary = summary;
  else if (develop?.summarized === true) notes.push("summary.md: the summary is lost.");

  const known = Object.keys(raw).length > 0;
  const loop = factsOf([...Object.values(parts), stored]);
  return { skill_state: known ? SkillState.parse(raw) : null, loop, notes };
}

/** What the data parts say of the loop. The highest iteration counts. */
function factsOf(parts: readonly (Plain | undefined)[]): LoopFacts | null {
  const told = parts.flatMap((part) => LoopFacts.safeParse(part?.loop).data ?? []);
  const [first] = told;
  if (first === undefined) return null;
  const iterations = told.flatMap(({ current_iteration }) => current_iteration ?? []);
  return iterations.length > 0 ? { ...first, current_iteration: Math.max(...iterations) } : first;
}

/** The data part of a document, when it has a whole one. */
function dataOf(text: string | undefined, name: DocumentName, notes: string[]): Plain | undefined {
  if (text === undefined) {
    notes.push(`${name}.md is missing; nothing is known about ${name}.`);
    return undefined;
  }
  const part = readDataPart(text, name);
  if (typeof part !== "string") return part;
  notes.push(`${name}.md: its data part is ${part}.`);
  return undefined;
}

/** These fields, when they fit the schema. */
function fitting(value: unknown): Plain | undefined {
  return isPlain(value) && SkillState.safeParse(value).success ? value : undefined;
}
