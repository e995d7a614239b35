import {
  ACCEPTED_FROM,
  decide,
  isLoopError,
  type LoopCommand,
  type LoopEvent,
  LoopState,
  tasksOf,
  withTasks,
} from "@ccw-loop/core";
import { unsealed } from "../commits/commit.ts";
import { BOOKKEEPING, originFor } from "./base-of.ts";
import { type ThreeWay, threeWay } from "./three-way.ts";

/** They say what a status means and go with it; a foreign status makes its own. */
const OF_THE_STATUS = new Set(["status", "completed_at", "failure_reason", "outcome"]);
/** What only the orchestrator can know. Theirs is kept aside. */
const MEASURED = new Set([
  ...["receipts", "baseline", "checkpoints", "accepted", "usage", "action", "agent", "workspace"],
  // What counts as proof is an operator's word, and a file in the agent's reach is not how they give it (ADR 12).
  ...["settings", "waiting"],
]);
/** All that a document may change which does not say what it was made from. */
const OPERATORS = ["title", "description", "max_iterations", "tags", "priority", "notes"];
/** The fields that may be taken out again. */
const OPTIONAL = ["tags", "priority", "notes"];

/** What a foreign document means: the events to append, and the fields where ours was kept against theirs. */
export interface Merge {
  events: LoopEvent[];
  kept: string[];
}

/**
 * Merges a document that somebody else wrote into ours. `base` is the state it was made from; null when that
 * is not known: then only an operator's fields count. A status that a command could have brought about wins
 * over whatever happened meanwhile; one that only a proof can bring about (`completed`) is kept aside.
 * Throws a ZodError when the merged state would break the schema.
 */
export function mergeForeign(
  base: LoopState | null,
  ours: LoopState,
  theirs: LoopState,
  at: string,
): Merge {
  const fields = mergeFields(base, ours, theirs);
  const status = mergeStatus(base, ours, theirs, at);
  const kept = [...fields.kept, ...(status === "kept" ? ["status"] : [])];
  const commands = status === "kept" ? [] : status;
  if (fields.changed.length + commands.length + kept.length === 0) return { events: [], kept };
  const state = LoopState.parse({ ...Object(fields.value), updated_at: at });
  const edited: LoopEvent = {
    type: "external.edited",
    at,
    state: unsealed(consistent(state, fields.changed)),
    changed: fields.changed,
    ...originFor(base, theirs),
    ...(kept.length > 0 ? { kept_aside: kept } : {}),
  };
  return { events: [edited, ...commands], kept };
}

function mergeFields(base: LoopState | null, ours: LoopState, theirs: LoopState): ThreeWay {
  const value: Record<string, unknown> = { ...ours };
  const changed: string[] = [];
  const kept: string[] = [];
  const from: Record<string, unknown> = base ?? ours;
  for (const [key, theirValue] of Object.entries(theirs)) {
    if (BOOKKEEPING.has(key) || OF_THE_STATUS.has(key)) continue;
    const closed = MEASURED.has(key) || (base === null && !OPERATORS.includes(key));
    const merged = threeWay(from[key], value[key], theirValue, key);
    if (closed) {
      kept.push(...merged.kept, ...merged.changed);
    } else {
      changed.push(...merged.changed);
      kept.push(...merged.kept);
      value[key] = merged.value;
    }
  }
  for (const key of base === null ? [] : OPTIONAL) {
    const takenOut = key in from && !(key in theirs) && key in value;
    if (!takenOut) continue;
    if (threeWay(from[key], value[key], null, key).kept.length > 0) {
      kept.push(key);
    } else {
      changed.push(key);
      delete value[key];
    }
  }
  return { value, changed, kept };
}

/** The events of the command that their status stands for; `kept` when no command leads there. */
function mergeStatus(
  base: LoopState | null,
  ours: LoopState,
  theirs: LoopState,
  at: string,
): LoopEvent[] | "kept" {
  if (theirs.status === (base ?? ours).status || theirs.status === ours.status) return [];
  const command = commandFor(ours, theirs);
  if (!command) return "kept";
  try {
    return decide(ours, command, at);
  } catch (error) {
    if (isLoopError(error)) return "kept";
    throw error;
  }
}

function commandFor(ours: LoopState, theirs: LoopState): LoopCommand | null {
  switch (theirs.status) {
    case "running":
      return { type: ACCEPTED_FROM.resume.includes(ours.status) ? "resume" : "start" };
    case "paused":
      return { type: "pause" };
    case "failed":
      return { type: "stop", reason: theirs.failure_reason };
    case "user_exit":
      return { type: "exit" };
    case "created":
    case "completed":
      return null;
  }
}

/** Counts that are computed are computed again, and a proof that others touched has to be given again. */
function consistent(state: LoopState, changed: string[]): LoopState {
  const tasks = tasksOf(state);
  const counted = tasks.length > 0 ? withTasks(state, [...tasks]) : state;
  const skill = counted.skill_state;
  if (!skill || !changed.some((path) => path.startsWith("skill_state.validate"))) return counted;
  return {
    ...counted,
    skill_state: { ...skill, validate: { ...skill.validate, stale: true } },
  };
}
