import {
  ACCEPTED_FROM,
  admitEdit,
  decide,
  isLoopError,
  type LoopCommand,
  type LoopEvent,
  LoopState,
  unproven,
} from "@ccw-loop/core";
import { unsealed } from "../commit/commit.ts";
import { type Basis, BOOKKEEPING, originFor } from "./basis.ts";
import { type ThreeWay, threeWay } from "./three-way.ts";

/** They say what a status means and go with it; a foreign status makes its own. */
const OF_THE_STATUS = new Set(["status", "completed_at", "failure_reason", "outcome"]);
/** All that a document may change which does not say what it was made from. */
const OPERATORS = ["title", "description", "max_iterations", "tags", "priority", "notes"];
/** The fields that may be taken out again. */
const OPTIONAL = ["tags", "priority", "notes"];

/** What a foreign document means: the events to append, and the fields where ours was kept against theirs. */
export interface Merge {
  events: LoopEvent[];
  kept: string[];
}

/** A document of another program: what it says, and when it was written, in milliseconds since 1970. */
export interface Edit {
  theirs: LoopState;
  written: number;
}

/**
 * Merges a document that somebody else wrote into ours. When it is not known what the document was made from, only
 * an operator's fields count. What only the orchestrator can know is kept aside, and so is a status that only a
 * proof can bring about (`completed`); one that a command could have brought about wins over whatever happened
 * meanwhile. Throws a ZodError when the merged state would break the schema.
 */
export function mergeExternal(
  { base, writtenBy }: Basis,
  ours: LoopState,
  { theirs, written }: Edit,
  at: string,
): Merge {
  const fields = mergeFields({ base, writtenBy }, ours, theirs);
  const status = mergeStatus(base, ours, theirs, at);
  const kept = [...fields.kept, ...(status === "kept" ? ["status"] : [])];
  const commands = status === "kept" ? [] : status;
  const { superseded } = fields;
  const says = fields.changed.length + superseded.length + commands.length + kept.length;
  if (says === 0) return { events: [], kept };
  const state = LoopState.parse({ ...fields.value, updated_at: at });
  const planned = fields.changed.some((path) => /^(skill_state|tasks)\b/.test(path));
  const edited: LoopEvent = {
    type: "external.edited",
    at,
    // What others changed of the plan, our own tests have not seen. The proof of an ended loop is about what it was.
    state: unsealed(planned && state.status !== "completed" ? unproven(state) : state),
    changed: fields.changed,
    ...originFor(base, theirs, written),
    ...(superseded.length > 0 ? { superseded } : {}),
    ...(kept.length > 0 ? { kept_aside: kept } : {}),
  };
  return { events: [edited, ...commands], kept };
}

interface Fields extends Omit<ThreeWay, "value"> {
  value: Record<string, unknown>;
}

function mergeFields({ base, writtenBy }: Basis, ours: LoopState, theirs: LoopState): Fields {
  const value: Record<string, unknown> = { ...ours };
  const from: Record<string, unknown> = base ?? ours;
  const mergeable = Object.entries(theirs).filter(
    ([key]) => !BOOKKEEPING.has(key) && !OF_THE_STATUS.has(key),
  );
  const admitted = admitEdit(Object.fromEntries(mergeable), ours, base);
  const changed: string[] = [];
  const superseded: string[] = [];
  const kept = [...admitted.refused];
  for (const [key] of mergeable) {
    const merged = threeWay(from[key], value[key], admitted.value[key], key, writtenBy);
    kept.push(...merged.kept);
    superseded.push(...merged.superseded);
    if (base === null && !OPERATORS.includes(key)) {
      kept.push(...merged.changed);
    } else if (merged.value !== undefined) {
      changed.push(...merged.changed);
      value[key] = merged.value;
    }
  }
  for (const key of base === null ? [] : OPTIONAL) {
    const takenOut = key in from && !(key in theirs) && key in value;
    if (!takenOut) continue;
    const merged = threeWay(from[key], value[key], null, key, writtenBy);
    kept.push(...merged.kept);
    changed.push(...merged.changed);
    superseded.push(...merged.superseded);
    if (merged.value === null) delete value[key];
  }
  return { value, changed, kept, superseded };
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
