import { isPlain, type Plain } from "../json.ts";
import { SkillState } from "../state/skill-state.ts";
import { type DocumentName, factsInHeading, LoopFacts, readDataPart } from "./data-part.ts";
import {
  debugFromHeadings,
  developFromHeadings,
  validateFromHeadings,
} from "./legacy-documents.ts";

/** What the progress documents tell. `notes` are sentences for the user about what they do not. */
export interface ParsedProgress {
  /** Null when no document says anything: the loop has no plan yet. */
  skill_state: SkillState | null;
  /** The loop's own fields, as far as any document says them; null when none does. */
  loop: Partial<LoopFacts> | null;
  notes: string[];
}

type Part = "develop" | "debug" | "validate";
const DOCUMENTS = ["develop", "debug", "validate", "summary"] as const satisfies DocumentName[];

/**
 * Reads progress documents, by file name, back into `skill_state`. Exact for what `renderProgress` wrote; a
 * document whose data part is missing or damaged (of an older tool, cut off) is read by its headings.
 */
export function parseProgress(files: Readonly<Record<string, string>>): ParsedProgress {
  const notes: string[] = [];
  const data = (name: DocumentName) => dataOf(files, name, notes);
  const develop = data("develop");
  const parts = { develop, debug: data("debug"), validate: data("validate") };
  const rest = withDefaults(develop?.skill_state);
  if (develop && !rest) notes.push("develop.md: the fields beside `develop` are unreadable.");
  if (!develop && files["develop.md"] !== undefined) {
    notes.push(
      "The mode, the last action and the recorded errors are unknown; interactive is assumed.",
    );
  }
  const raw: Plain = {
    ...rest,
    develop: partOf("develop", parts.develop) ?? olderPart("develop", files, notes),
    debug: partOf("debug", parts.debug) ?? olderPart("debug", files, notes),
    validate: partOf("validate", parts.validate) ?? olderPart("validate", files, notes),
  };
  const stored = files["summary.md"] === undefined ? undefined : data("summary");
  const summary = develop?.summarized === false ? undefined : stored?.summary;
  if (isPlain(summary)) raw.summary = summary;
  else if (develop?.summarized === true) notes.push("summary.md: the summary is lost.");

  const loop = factsOf([...Object.values(parts), stored], files, notes);
  if (Object.keys(raw).every((key) => raw[key] === undefined)) {
    return { skill_state: null, loop, notes: ["There are no progress documents."] };
  }
  return { skill_state: SkillState.parse(raw), loop, notes };
}

/** From data parts, and from the first lines of the documents what those do not say. The highest iteration counts. */
function factsOf(
  parts: readonly (Plain | undefined)[],
  files: Readonly<Record<string, string>>,
  notes: string[],
): Partial<LoopFacts> | null {
  const headings = DOCUMENTS.map((name) => factsInHeading(files[`${name}.md`] ?? ""));
  const data = parts.flatMap((part) => LoopFacts.safeParse(part?.loop).data ?? []);
  const told: Partial<LoopFacts>[] = [...headings.toReversed(), ...data.toReversed()];
  const facts: Partial<LoopFacts> = Object.assign({}, ...told);
  const iterations = told.flatMap(({ current_iteration }) => current_iteration ?? []);
  if (iterations.length > 0) facts.current_iteration = Math.max(...iterations);
  if (data.length === 0 && facts.title !== undefined) {
    notes.push("Title and description were read from a heading, where long ones are cut off.");
  }
  return Object.keys(facts).length > 0 ? facts : null;
}

/** The data part of a document, when it has a whole one. */
function dataOf(
  files: Readonly<Record<string, string>>,
  name: DocumentName,
  notes: string[],
): Plain | undefined {
  const text = files[`${name}.md`];
  if (text === undefined) return undefined;
  const part = readDataPart(text, name);
  if (part.found === "whole" && isPlain(part.value)) return part.value;
  if (part.found !== "missing") notes.push(`${name}.md: its data part is damaged.`);
  return undefined;
}

/** The fields beside the three parts, when they fit the schema. */
function withDefaults(value: unknown): Plain | undefined {
  return isPlain(value) && SkillState.safeParse(value).success ? value : undefined;
}

function partOf(name: Part, data: Plain | undefined): unknown {
  const value = data?.[name];
  return isPlain(value) && SkillState.safeParse({ [name]: value }).success ? value : undefined;
}

/** A part read from headings and data files; undefined when there is nothing to read it from. */
function olderPart(name: Part, files: Readonly<Record<string, string>>, notes: string[]): unknown {
  const file = (key: string) => files[key];
  const sources: Record<Part, [string[], () => Plain]> = {
    develop: [
      ["develop.md"],
      () => developFromHeadings(file("develop.md") ?? "", file("changes.log") ?? ""),
    ],
    debug: [
      ["debug.md", "hypotheses.json"],
      () => debugFromHeadings(file("debug.md") ?? "", file("hypotheses.json")),
    ],
    validate: [
      ["validate.md", "test-results.json"],
      () =>
        validateFromHeadings(
          file("validate.md") ?? "",
          file("test-results.json"),
          file("coverage.json"),
        ),
    ],
  };
  const [names, read] = sources[name];
  if (names.every((key) => file(key) === undefined)) {
    notes.push(`${name}.md is missing; nothing is known about ${name}.`);
    return undefined;
  }
  const value = read();
  if (SkillState.safeParse({ [name]: value }).success) {
    notes.push(`${name}.md was read by its headings; what they do not say is unknown.`);
    return value;
  }
  notes.push(`${name}.md could not be understood; nothing is known about ${name}.`);
  return undefined;
}
