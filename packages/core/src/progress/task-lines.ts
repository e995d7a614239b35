import { isPlain, mapField, type Plain, rename } from "../json.ts";
import { jsonObjects } from "../protocol/json-objects.ts";
import { tasksOf } from "../state/derived.ts";
import type { LoopState } from "../state/loop-state.ts";
import { DevelopTask, type TaskLine } from "../state/task.ts";
import { clip, safeJson, visible } from "../text.ts";

/** `{loopId}.tasks.jsonl`: one task per line in the control plane's spelling; every line ends in a line feed. */
export function renderTaskLines(state: LoopState): string {
  return tasksOf(state)
    .map((task, order) => `${safeJson(taskLine(task, order))}\n`)
    .join("");
}

/** A task in the control plane's spelling; `order` is its place in the list. */
export function taskLine(task: DevelopTask, order: number): TaskLine {
  const { id, ...rest } = task;
  return {
    ...rest,
    task_id: id,
    prompt_template: task.prompt_template ?? "",
    order,
    updated_at: task.updated_at ?? null,
  };
}

/**
 * The tasks of a tasks.jsonl of any age, in their `order`. Reads what earlier tools left behind: two objects
 * on one line, blank lines, the state file's spelling of a task. `rejected` says in words what was not read.
 */
export function parseTaskLines(text: string): { tasks: DevelopTask[]; rejected: string[] } {
  const found: { task: DevelopTask; order: number }[] = [];
  const rejected: string[] = [];
  const ids = new Set<string>();
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const spans = jsonObjects(line);
    // The rest of a line that was cut off.
    const between = [0, ...spans.map(({ end }) => end)]
      .map((from, n) => line.slice(from, spans[n]?.start))
      .join("")
      .trim();
    if (between !== "") rejected.push(refusal(index, "text that is no task", between));
    for (const span of spans) {
      const source = line.slice(span.start, span.end);
      const parsed = parseTask(JSON.parse(source));
      if (typeof parsed === "string") rejected.push(refusal(index, parsed, source));
      else if (ids.has(parsed.task.id)) rejected.push(refusal(index, "a repeated id", source));
      else {
        ids.add(parsed.task.id);
        found.push(parsed);
      }
    }
  });
  found.sort((a, b) => a.order - b.order);
  return { tasks: found.map(({ task }) => task), rejected };
}

function refusal(index: number, what: string, source: string): string {
  return `Line ${index + 1} has ${what}: ${clip(visible(source), 120)}`;
}

/** The statuses that a dashboard of long ago showed. */
const OLDER_STATUS: Readonly<Record<string, string>> = {
  done: "completed",
  todo: "pending",
  blocked: "pending",
};

function parseTask(value: unknown): { task: DevelopTask; order: number } | string {
  if (!isPlain(value)) return "no JSON object";
  const { order, ...fields } = rename(value, { task_id: "id" });
  const task = mapField(withoutEmpty(fields), "status", (status) =>
    typeof status === "string" ? (OLDER_STATUS[status] ?? status) : status,
  );
  const parsed = DevelopTask.safeParse(task);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `a wrong ${issue?.path.join(".") || "task"} (${issue?.message})`;
  }
  return { task: parsed.data, order: typeof order === "number" ? order : Number.MAX_SAFE_INTEGER };
}

/** The spelling of a line has empty values where a task leaves the field out. */
function withoutEmpty(fields: Plain): Plain {
  const copy = { ...fields };
  if (copy.prompt_template === "") delete copy.prompt_template;
  if (copy.updated_at === null) delete copy.updated_at;
  return copy;
}
