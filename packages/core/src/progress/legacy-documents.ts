import { isPlain, ndjsonObjects, type Plain, tryParseJson } from "../json.ts";
import { Timestamp } from "../state/scalars.ts";
import type { DebugNote } from "../state/skill-state.ts";
import {
  below,
  cellOf,
  datedTitle,
  fieldOf,
  listOf,
  type Section,
  sectionsOf,
  textOf,
} from "./markdown.ts";

const BOX = /^\d{1,6}\. \[([ xX])\] (.+)$/;

/**
 * `skill_state.develop` from the headings of a develop.md without a usable data part, helped by changes.log.
 * Tasks that the list names and no timeline entry describes are pending.
 */
export function developFromHeadings(text: string, changes: string): Plain {
  const sections = sectionsOf(text);
  const tasks = sections.filter((s) => s.title === "Task List").flatMap(listedTasks);
  for (const [index, section] of sections.entries()) {
    if (!/^Iteration \d+ - /.test(section.title)) continue;
    addEntry(tasks, section, below(sections, index));
  }
  for (const record of ndjsonObjects(changes)) addChange(tasks, record);
  tasks.forEach((task, i) => {
    task.id ??= `task-${String(i + 1).padStart(3, "0")}`;
  });
  const completed = tasks.filter((task) => task.status === "completed");
  const times = completed.flatMap((t) =>
    typeof t.completed_at === "string" ? [t.completed_at] : [],
  );
  return {
    total: tasks.length,
    completed: completed.length,
    current_task: null,
    tasks,
    last_progress_at: times.sort().at(-1) ?? null,
  };
}

function listedTasks(section: Section): Plain[] {
  return section.lines.flatMap((line) => {
    const [, box, rest = ""] = BOX.exec(line.slice(0, 2_000)) ?? [];
    if (box === undefined) return [];
    const failed = rest.endsWith(" (failed)");
    const text = rest.replace(/ \((?:failed|in progress)\)$/, "");
    const status = box === " " ? (failed ? "failed" : "pending") : "completed";
    return [{ description: datedTitle(`${text} ()`).text, status }];
  });
}

/** A timeline entry tells what became of the task with its description, or of one the list does not name. */
function addEntry(tasks: Plain[], entry: Section, parts: readonly Section[]): void {
  const { text, at } = datedTitle(entry.title.replace(/^Iteration \d+ - /, ""));
  const named = (title: string) => parts.find((part) => part.title.startsWith(title));
  const details = named("Task Details")?.lines ?? [];
  let task = tasks.find((t) => t.description === text && t.id === undefined);
  if (!task) {
    task = { description: text };
    tasks.push(task);
  }
  const completed_at = Timestamp.safeParse(at);
  const failed = named("Status")?.title.includes("FAILED") ?? false;
  Object.assign(task, {
    id: fieldOf(details, "ID") ?? task.id,
    tool: fieldOf(details, "Tool") ?? "codex",
    mode: fieldOf(details, "Mode") ?? "write",
    status: failed ? "failed" : "completed",
    completed_at: completed_at.success && !failed ? completed_at.data : null,
    summary: textOf(named("Implementation Summary")),
    files_changed: listOf(named("Files Changed")),
  });
}

/** A line of changes.log completes what the headings left open. */
function addChange(tasks: Plain[], record: Plain): void {
  if (record.result !== undefined && record.result !== "success") return;
  const task =
    tasks.find((t) => t.id === record.task_id) ??
    tasks.find((t) => t.id === undefined && t.description === record.description);
  if (!task || typeof record.task_id !== "string") return;
  task.id = record.task_id;
  const at = Timestamp.safeParse(record.timestamp);
  if (at.success) task.completed_at = at.data;
  if (task.status === "pending") task.status = "completed";
  const files = record.files_changed;
  if (Array.isArray(files)) task.files_changed = files.filter((f) => typeof f === "string");
}

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

/**
 * `skill_state.validate` from test-results.json and coverage.json where there are any, else from the headings
 * of a validate.md without a usable data part. Always stale: what cannot be proven is run again.
 */
export function validateFromHeadings(text: string, results?: string, coverage?: string): Plain {
  const sections = sectionsOf(text);
  const lines = sections.flatMap((section) => section.lines);
  const stored = tryParseJson(results);
  const known = isPlain(stored) ? stored : {};
  const tests = Array.isArray(known.tests) ? known.tests : failuresOf(sections);
  const names = tests.flatMap((test: unknown) =>
    isPlain(test) && test.status === "failed" && typeof test.test_name === "string"
      ? [test.test_name]
      : [],
  );
  const at = Timestamp.safeParse(known.timestamp ?? fieldOf(lines, "Validated"));
  const decision = fieldOf(lines, "Result")?.replaceAll("*", "").trim().toUpperCase() ?? "";
  const summary = isPlain(known.summary) ? known.summary : {};
  return {
    pass_rate: numberOf(summary.pass_rate) ?? numberOf(cellOf(lines, "Pass Rate")) ?? null,
    coverage:
      overallOf(tryParseJson(coverage)) ??
      overallOf(known.coverage) ??
      numberOf(fieldOf(lines, "Overall Coverage")) ??
      null,
    test_results: tests,
    passed: typeof known.passed === "boolean" ? known.passed : decision.startsWith("PASS"),
    failed_tests: Array.isArray(known.failed_tests) ? known.failed_tests : names,
    last_run_at: at.success ? at.data : null,
    stale: true,
  };
}

/** The failed tests of the last run; the report names no others. */
function failuresOf(sections: readonly Section[]): Plain[] {
  const from = sections.findLastIndex((section) => section.title === "Failed Tests");
  if (from === -1) return [];
  const end = sections.findIndex((section, i) => i > from && section.level !== 4);
  return sections.slice(from + 1, end === -1 ? undefined : end).map((section) => ({
    test_name: section.title,
    suite: fieldOf(section.lines, "Suite") ?? "",
    status: "failed",
    error_message: fieldOf(section.lines, "Error") ?? (quotedText(section) || null),
  }));
}

function quotedText(section: Section): string {
  return textOf({ ...section, lines: section.lines.filter((line) => line.startsWith(">")) });
}

/** `95.5`, `"95.5"`, `"95.5%"` → 95.5 */
function numberOf(value: unknown): number | undefined {
  const text = typeof value === "string" ? value.replace("%", "").trim() : value;
  if (text === "" || (typeof text !== "string" && typeof text !== "number")) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** One figure out of a number, `{overall: …}` or `{lines, statements, …}`. */
function overallOf(value: unknown): number | undefined {
  if (!isPlain(value)) return numberOf(value);
  return overallOf(value.overall) ?? numberOf(value.lines) ?? numberOf(value.statements);
}
