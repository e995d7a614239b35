import { tryParseJson } from "../json.ts";
import { isPlain, type Plain } from "../state/plain.ts";
import type { DebugNote } from "../state/skill-state.ts";
import { Timestamp } from "../state/time.ts";
import { below, datedTitle, fieldOf, type Section, sectionsOf, textOf } from "./sections.ts";

const IDEA = /^[\s>*_-]{0,8}(H\d{1,6})[*_]{0,4}:[*_\s]{0,8}(.*)$/;
const OWN_IDEA = /^(\S{1,128}) - (PENDING|CONFIRMED|REJECTED|INCONCLUSIVE)$/;
const VERDICT = /^(CONFIRMED|REJECTED|INCONCLUSIVE)\b/;

/**
 * `skill_state.debug` from hypotheses.json where there is one, else from the headings of a debug.md without a
 * usable data part.
 */
export function debugFromHeadings(text: string, hypotheses: string | undefined): Plain {
  const sections = sectionsOf(text);
  const stored = tryParseJson(hypotheses);
  const known = isPlain(stored) && Array.isArray(stored.hypotheses) ? stored.hypotheses : undefined;
  const ideas: unknown[] = known ?? ideasOf(sections);
  const isRound = (section: Section) => /^Iteration \d+ - /.test(section.title);
  const rounds = sections.filter(isRound).length;
  const notes = sections.flatMap((section, i) =>
    isRound(section) ? noteOf(section, below(sections, i)) : [],
  );
  const iteration = isPlain(stored) ? stored.iteration : undefined;
  const confirmed = ideas.find((idea) => isPlain(idea) && idea.status === "confirmed");
  const bug = fieldOf(
    sections.slice(0, 2).flatMap((s) => s.lines),
    "Bug Description",
  );
  return {
    active_bug: bug === undefined || bug === "None" ? null : bug,
    hypotheses_count: ideas.length,
    hypotheses: ideas,
    confirmed_hypothesis: isPlain(confirmed) ? confirmed.id : null,
    iteration: typeof iteration === "number" ? iteration : rounds,
    last_analysis_at: notes.at(-1)?.at ?? null,
    ...(notes.length > 0 ? { notes } : {}),
  };
}

function noteOf(round: Section, parts: readonly Section[]): DebugNote[] {
  const at = Timestamp.safeParse(datedTitle(round.title).at);
  if (!at.success) return [];
  const said = parts.filter((part) => /^(Current|Corrected) Understanding$/.test(part.title));
  const iteration = Number(/^Iteration (\d{1,9})/.exec(round.title)?.[1] ?? 0);
  const text = said.map((part) => textOf(withoutOurs(part))).join("\n\n");
  return [{ iteration, at: at.data, text, hypotheses: [] }];
}

/** A section without the line that we add below an understanding. */
function withoutOurs(section: Section): Section {
  const lines = section.lines.filter((line) => !line.startsWith("**Hypotheses touched**:"));
  return { ...section, lines };
}

/** Every `**H1**: …` with the lines that follow it; a later mention adds its verdict. */
function ideasOf(sections: readonly Section[]): Plain[] {
  const ideas = new Map<string, Plain>();
  for (const section of sections) {
    const own = OWN_IDEA.exec(section.title);
    if (own?.[1]) {
      describe(
        ideaAt(ideas, own[1]),
        textOf({ ...section, lines: quoted(section) }),
        section.lines,
      );
      ideaAt(ideas, own[1]).status = own[2]?.toLowerCase();
    }
    for (const [index, line] of section.lines.entries()) {
      const [, id, rest = ""] = IDEA.exec(line.slice(0, 4_000)) ?? [];
      if (id === undefined) continue;
      const end = section.lines.findIndex((l, i) => i > index && IDEA.test(l.slice(0, 4_000)));
      const details = section.lines.slice(index + 1, end === -1 ? undefined : end);
      const verdict = VERDICT.exec(rest)?.[1]?.toLowerCase();
      const idea = ideaAt(ideas, id);
      if (verdict === undefined) describe(idea, rest, details);
      else judge(idea, verdict, details);
    }
  }
  return [...ideas.values()];
}

function ideaAt(ideas: Map<string, Plain>, id: string): Plain {
  const idea = ideas.get(id) ?? { id, description: "" };
  ideas.set(id, idea);
  return idea;
}

function quoted(section: Section): string[] {
  return section.lines.filter((line) => line.startsWith(">"));
}

function describe(idea: Plain, description: string, details: readonly string[]): void {
  idea.description ||= description.trim();
  idea.testable_condition ??= fieldOf(details, "Testable condition");
  idea.logging_point ??= fieldOf(details, "Logging point");
  const likelihood = Number(fieldOf(details, "Likelihood") ?? Number.NaN);
  if (Number.isFinite(likelihood)) idea.likelihood ??= likelihood;
  const reason = fieldOf(details, "Reasoning");
  if (reason !== undefined && reason !== "none") idea.verdict_reason ??= reason;
  const evidence = tryParseJson(fieldOf(details, "Evidence"));
  if (isPlain(evidence) || Array.isArray(evidence)) idea.evidence ??= evidence;
}

function judge(idea: Plain, verdict: string, details: readonly string[]): void {
  idea.status = verdict;
  const evidence = fieldOf(details, "Evidence");
  const value = tryParseJson(evidence);
  if (isPlain(value) || Array.isArray(value)) idea.evidence = value;
  else if (evidence) idea.evidence = { observed: evidence };
  idea.verdict_reason = fieldOf(details, "Reasoning") ?? null;
}
