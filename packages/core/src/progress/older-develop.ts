import { tryParseJson } from "../json.ts";
import { isPlain, type Plain } from "../state/plain.ts";
import { Timestamp } from "../state/time.ts";
import {
  below,
  datedTitle,
  fieldOf,
  listOf,
  type Section,
  sectionsOf,
  textOf,
} from "./sections.ts";

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
  for (const record of ndjson(changes)) addChange(tasks, record);
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

/** The objects of an NDJSON text; lines that are none are passed over. */
function ndjson(text: string): Plain[] {
  return text.split("\n").flatMap((line) => {
    const value = tryParseJson(line);
    return isPlain(value) ? [value] : [];
  });
}
