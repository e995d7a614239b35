import { isPlain, mapField, mapObjects, type Plain, rename } from "./plain.ts";

const ACTIONS: Readonly<Record<string, string>> = {
  init: "INIT",
  develop: "DEVELOP",
  debug: "DEBUG",
  validate: "VALIDATE",
  complete: "COMPLETE",
  menu: "MENU",
};

/** `action-develop-with-file`, `develop` or `DEVELOP` → `DEVELOP`; undefined for anything else. */
export function canonicalAction(text: string): string | undefined {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^action-/, "")
    .replace(/-with-file$/, "");
  return Object.hasOwn(ACTIONS, bare) ? ACTIONS[bare] : undefined;
}

/** Fields of the oldest layout whose parts lay at the top instead of in `skill_state`. */
const ONCE_AT_THE_TOP = [
  "current_action",
  "last_action",
  "completed_actions",
  "mode",
  "develop",
  "debug",
  "validate",
  "errors",
  "summary",
];

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
