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
import { withoutEtag } from "../commit/commit-form.ts";
import { type Basis, BOOKKEEPING, originFor } from "./basis.ts";
import { type ThreeWay, threeWay } from "./three-way.ts";

/** Set together with the status: where an edit changes the status, the events of the matching command set them anew. */
const STATUS_FIELDS = new Set(["status", "completed_at", "failure_reason", "outcome"]);
/** The only fields that an edit may change which names no revision that it was made from. */
const OPERATOR_FIELDS = ["title", "description", "max_iterations", "tags", "priority", "notes"];
/** The fields that may be taken out again. */
const OPTIONAL_FIELDS = ["tags", "priority", "notes"];

/** What an external edit comes to: the events to append, and the fields whose change was refused. */
export interface Merge {
  events: LoopEvent[];
  kept: string[];
}

/**
 * A document of another program: what it says, when it was written, in milliseconds since 1970, and whether ours was put in
 * its place before it was seen.
 */
export interface Edit {
  theirs: LoopState;
  written: number;
  covered?: boolean;
}

/**
 * Merges a document that another program wrote into ours. Where it names no revision that it was made from, only an
 * operator's fields count. Measured fields are refused, and so is the status that only a proof can set (`completed`); a
 * status that a command can reach from ours is set by that command. Throws a ZodError when the merged state would break
 * the schema.
 */
export function mergeExternal(
  { base, writtenBy }: Basis,
  ours: LoopState,
  { theirs, written, covered = false }: Edit,
  at: string,
): Merge {
  const fields = mergeFields({ base, writtenBy }, ours, theirs);
  const status = mergeStatus(base, ours, theirs, at);
  const kept = [...fields.kept, ...(status === "kept" ? ["status"] : [])];
  const commands = status === "kept" ? [] : status;
  const { superseded } = fields;
  const differences = fields.changed.length + superseded.length + commands.length + kept.length;
  if (differences === 0) return { events: [], kept };
  const state = LoopState.parse({ ...fields.value, updated_at: at });
  const planned = fields.changed.some((path) => /^(skill_state|tasks)\b/.test(path));
  const edited: LoopEvent = {
    type: "external.edited",
    at,
    // An edited plan drops the proof, for the tests ran before it; a completed loop keeps its proof.
    state: withoutEtag(planned && state.status !== "completed" ? unproven(state) : state),
    changed: fields.changed,
    ...originFor(base, theirs, written),
    ...(covered ? { covered } : {}),
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
    ([key]) => !BOOKKEEPING.has(key) && !STATUS_FIELDS.has(key),
  );
  const admitted = admitEdit(Object.fromEntries(mergeable), ours, base);
  const changed: string[] = [];
  const superseded: string[] = [];
  const kept = [...admitted.refused];
  const merge = (key: string, wanted: unknown) => {
    const merged = threeWay(from[key], value[key], wanted, key, writtenBy);
    kept.push(...merged.kept);
    superseded.push(...merged.superseded);
    return merged;
  };
  for (const [key] of mergeable) {
    const merged = merge(key, admitted.value[key]);
    if (base === null && !OPERATOR_FIELDS.includes(key)) {
      kept.push(...merged.changed);
    } else if (merged.value !== undefined) {
      changed.push(...merged.changed);
      value[key] = merged.value;
    }
  }
  for (const key of base === null ? [] : OPTIONAL_FIELDS) {
    const takenOut = key in from && !(key in theirs) && key in value;
    if (!takenOut) continue;
    const merged = merge(key, null);
    changed.push(...merged.changed);
    if (merged.value === null) delete value[key];
  }
  return withAdmitted({ value, changed, kept, superseded }, ours);
}

/**
 * Checks the merged result again: two changes that are allowed one by one may not be allowed together, and fields of the file
 * were merged with newer ones of ours.
 */
function withAdmitted(fields: Fields, ours: LoopState): Fields {
  const { value, refused } = admitEdit(fields.value, ours, null);
  const changed = fields.changed.filter((path) => !refused.includes(path));
  return { ...fields, value, changed, kept: [...fields.kept, ...refused] };
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
