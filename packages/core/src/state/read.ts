import { z } from "zod";
import { LoopError } from "../errors.ts";
import { isPlain, mapField, mapObjects, type Plain, rename } from "../json.ts";
import { LoopState, SCHEMA_VERSION } from "./loop-state.ts";
import { ActionName, SkillState } from "./skill-state.ts";

/**
 * Parsed JSON of any tool and age → the state, in today's spelling; unknown fields survive. Reading what
 * was read before changes nothing. Throws `store_corrupt` that names the first wrong field and what was found
 * there (`details.field`, `details.problems`).
 */
export function readLoopState(raw: unknown): LoopState {
  if (!isPlain(raw)) {
    throw new LoopError("store_corrupt", `The loop state is ${shown(raw)}, not a JSON object.`);
  }
  const state = normalizeState(raw);
  const parsed = LoopState.safeParse(state);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => problemOf(issue, state));
  throw new LoopError(
    "store_corrupt",
    `The loop state cannot be read: ${problems[0]}. Correct that field, or rebuild the loop.`,
    {
      cause: parsed.error,
      details: { field: fieldOf(parsed.error.issues[0]?.path ?? []), problems },
    },
  );
}

function problemOf(issue: z.core.$ZodIssue, state: unknown): string {
  let found = state;
  for (const key of issue.path) {
    found = isPlain(found) || Array.isArray(found) ? Reflect.get(found, key) : undefined;
  }
  const field = fieldOf(issue.path);
  if (found === undefined) return `${field} is missing`;
  return `${field} is ${shown(found)} (${issue.message})`;
}

/** `skill_state.develop.tasks[0].id` */
function fieldOf(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return text.join("").replace(/^\./, "") || "the document";
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (isPlain(value)) return "an object";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** `action-develop-with-file`, `develop` or `DEVELOP` → `DEVELOP`; undefined for anything else. */
export function canonicalAction(text: string): ActionName | undefined {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^action-/, "")
    .replace(/-with-file$/, "");
  return ActionName.options.find((action) => action.toLowerCase() === bare);
}

/** In the oldest layout they lay at the top instead of in `skill_state`. */
const ONCE_AT_THE_TOP = Object.keys(SkillState.shape);

/** Fields that other tools write as null where the contract leaves them out. */
const ABSENT_WHEN_NULL = ["completed_at", "failure_reason", "tags", "priority", "notes"];

/** A state of any earlier tool in today's spelling. Everything that is not known stays as it is. */
export function normalizeState(raw: Plain): Plain {
  let state = rename(raw, {
    session_id: "loop_id",
    task_description: "description",
    iteration_count: "current_iteration",
  });
  for (const key of ABSENT_WHEN_NULL) if (state[key] === null) delete state[key];
  if (state.status === "pending") state.status = "created";
  if (!Object.hasOwn(state, "title") && typeof state.description === "string") {
    state.title = [...state.description.slice(0, 200)].slice(0, 100).join("");
  }
  if (!Object.hasOwn(state, "updated_at") && Object.hasOwn(state, "created_at")) {
    state.updated_at = state.created_at;
  }
  if (!Object.hasOwn(state, "skill_state")) state = gatherSkillState(state);
  state = mapField(state, "tasks", (tasks) => mapObjects(tasks, respellTask));
  return mapField(state, "skill_state", (skill) => (isPlain(skill) ? respellSkill(skill) : skill));
}

/** Moves the parts of the oldest layout into `skill_state`, once it was initialized. */
function gatherSkillState(raw: Plain): Plain {
  const parts = ONCE_AT_THE_TOP.filter((key) => Object.hasOwn(raw, key));
  const begun = ["develop", "debug", "validate"].some((key) => isPlain(raw[key]));
  if (!begun && raw.initialized !== true) return raw;
  const { initialized: _, ...state } = raw;
  const skill: Plain = {};
  for (const key of parts) {
    skill[key] = state[key];
    delete state[key];
  }
  return { ...state, skill_state: skill };
}

/** `skill_state` of any earlier tool in today's spelling. */
function respellSkill(raw: Plain): Plain {
  let skill = mapField({ ...raw }, "current_action", currentAction);
  skill = mapField(skill, "last_action", actionOr);
  skill = mapField(skill, "completed_actions", (list) =>
    Array.isArray(list) ? list.map(actionOr) : list,
  );
  skill = mapField(skill, "errors", (list) =>
    mapObjects(list, (error) => mapField(error, "action", actionOr)),
  );
  skill = mapField(skill, "develop", (part) => (isPlain(part) ? respellDevelop(part) : part));
  skill = mapField(skill, "debug", (part) =>
    isPlain(part) ? rename(part, { current_bug: "active_bug" }) : part,
  );
  return mapField(skill, "validate", (part) => (isPlain(part) ? respellValidate(part) : part));
}

function actionOr(value: unknown): unknown {
  return typeof value === "string" ? (canonicalAction(value) ?? value) : value;
}

/** `paused` was once noted here; today `status` alone says it. */
function currentAction(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value === "paused" ? null : (canonicalAction(value)?.toLowerCase() ?? value);
}

function respellDevelop(raw: Plain): Plain {
  const develop = rename(raw, {
    completed_count: "completed",
    total_count: "total",
    current_task_id: "current_task",
  });
  return mapField(develop, "tasks", (tasks) => mapObjects(tasks, respellTask));
}

function respellTask(raw: Plain): Plain {
  return rename(raw, { task_id: "id" });
}

/** An earlier tool pushed one record per run into `test_results`; the runs and the last one's tests are told apart. */
function respellValidate(raw: Plain): Plain {
  const results = raw.test_results;
  if (!Array.isArray(results)) return raw;
  const isRun = (item: unknown): item is Plain =>
    isPlain(item) && !Object.hasOwn(item, "test_name") && isPlain(item.summary);
  const runs = results.filter(isRun);
  if (runs.length === 0) return raw;
  const before = Array.isArray(raw.runs) ? raw.runs : [];
  const last = runs.at(-1)?.tests;
  return {
    ...raw,
    test_results: Array.isArray(last) ? last : results.filter((item) => !isRun(item)),
    runs: [...before, ...runs.map((run, i) => asRun(run, before.length + i + 1, raw.last_run_at))],
  };
}

function asRun(record: Plain, position: number, lastRunAt: unknown): Plain {
  const summary = isPlain(record.summary) ? record.summary : {};
  const count = (key: string) => (Number.isSafeInteger(summary[key]) ? summary[key] : 0) as number;
  const failures = Array.isArray(record.failures) ? record.failures : [];
  return {
    iteration: Number.isSafeInteger(record.iteration) ? record.iteration : position,
    at: record.timestamp ?? lastRunAt,
    passed: count("failed") === 0 && count("passed") > 0,
    reason: "",
    command: "",
    total: count("total"),
    passed_count: count("passed"),
    failed_tests: failures.flatMap((f: unknown) =>
      isPlain(f) && typeof f.test_name === "string" ? [f.test_name] : [],
    ),
    ...(Object.hasOwn(record, "coverage") ? { coverage: record.coverage } : {}),
  };
}

/** Throws `store_unavailable` for a state that a newer version of ccw-loop wrote: this one may not know what it means. */
export function requireKnownSchema(id: string, { schema_version }: Plain): void {
  if (typeof schema_version !== "number" || schema_version <= SCHEMA_VERSION) return;
  throw new LoopError(
    "store_unavailable",
    `Loop ${id} was written by a newer version of ccw-loop (schema ${schema_version}; this one reads up to ${SCHEMA_VERSION}), and nothing of it was changed. Go on with that version.`,
    { details: { schema_version } },
  );
}

/** The state that a commit of that revision holds, without an etag; `known` is the state before, where it is known. */
export function stateOfCommit(state: LoopState, revision: number, known?: LoopState): LoopState {
  const { etag: _, ...rest } = state;
  return parseChanged(LoopState, { ...rest, schema_version: SCHEMA_VERSION, revision }, known);
}

/**
 * What `schema.parse(next)` gives, when `known` is what an earlier parse gave: what is the very same in both is not looked
 * at again. A step changes little of a loop's state, and its store parses all of it at every commit. Throws the
 * ZodError of the whole.
 */
export function parseChanged<T>(schema: z.ZodType<T>, next: unknown, known: T | undefined): T {
  try {
    return parsed(schema, next, known) as T;
  } catch {
    return schema.parse(next);
  }
}

function parsed(schema: z.ZodType, next: unknown, known: unknown): unknown {
  if (next === undefined || known === undefined) return schema.parse(next);
  if (next === known) return next;
  if (next === null || known === null || hasChecks(schema)) return schema.parse(next);
  if (isWrapper(schema)) return parsed(schema.def.innerType as z.ZodType, next, known);
  if (schema instanceof z.ZodArray && Array.isArray(next) && Array.isArray(known)) {
    return next.map((one, i) => parsed(schema.def.element as z.ZodType, one, known[i]));
  }
  if (schema instanceof z.ZodObject && isPlain(next) && isPlain(known)) {
    return parsedObject(schema, next, known);
  }
  return schema.parse(next);
}

/** In the order of a parse: the keys of the schema first, then the others as they come. */
function parsedObject(schema: z.ZodObject, next: Plain, known: Plain): unknown {
  const { shape, catchall } = schema.def;
  if (!(catchall instanceof z.ZodUnknown)) return schema.parse(next);
  const result: Plain = {};
  for (const [key, part] of Object.entries(shape)) {
    const value = parsed(part as z.ZodType, next[key], known[key]);
    if (value !== undefined) result[key] = value;
  }
  for (const key in next) {
    if (!Object.hasOwn(shape, key) && key !== "__proto__") result[key] = next[key];
  }
  return result;
}

/** Schemas that change nothing about a value that is there. */
function isWrapper(
  schema: z.ZodType,
): schema is z.ZodOptional | z.ZodNullable | z.ZodDefault | z.ZodPrefault {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  );
}

function hasChecks({ def }: z.ZodType): boolean {
  return (def.checks?.length ?? 0) > 0;
}
