import { isPlain, ownOf, type Plain, sameValue } from "../json.ts";
import { tasksOf, withStaleProof, withTasks } from "./derived.ts";
import { type Fields, type ItemsRule, LOOP_FIELDS, type Rule, TASKS } from "./field-sources.ts";
import { LoopState } from "./loop-state.ts";
import { SkillState } from "./skill-state.ts";
import { DevelopTask } from "./task.ts";

/** The admitted content of a file, and the dotted paths of the fields that it may not set. */
export interface Admitted<T> {
  value: T;
  refused: string[];
}

/**
 * A file that somebody else wrote, with every field that is not an operator's as `ours` has it. `base` is what the
 * file was made from: what it only repeats of that is not named as refused.
 */
export function admitEdit(theirs: Plain, ours: LoopState, base: LoopState | null): Admitted<Plain> {
  const pass: Pass = { records: false, alone: false, refused: [] };
  const value = admitFields(LOOP_FIELDS, theirs, { ours, base: base ?? ours, path: "" }, pass);
  return { value, refused: pass.refused };
}

/**
 * A loop out of a file that nothing vouches for; `known` is the newest state that is trusted, if any. It brings an
 * operator's fields and records, and no proof: the loop is never `completed`, and its tests have to run again. Commands
 * it brings only where nothing is known: then an operator has to see them before it runs.
 * Throws a ZodError when the result breaks the schema.
 */
export function restoreState(theirs: LoopState, known?: LoopState): Admitted<LoopState> {
  const pass: Pass = { records: true, alone: known === undefined, refused: [] };
  const ours = known ?? emptyBeside(theirs);
  const value = admitFields(LOOP_FIELDS, theirs, { ours, base: null, path: "" }, pass);
  const { refused } = pass;
  if (value.status !== "completed") return { value: unproven(LoopState.parse(value)), refused };
  const { outcome: _, completed_at: __, ...open } = value;
  const state = LoopState.parse({ ...open, status: "paused" });
  return { value: unproven(state), refused: ["status", ...refused] };
}

/** A new task out of a file, as an operator may have written it. */
export function admitTask(task: DevelopTask): DevelopTask {
  const place = { ours: blankOf(TASKS, task.id), base: null, path: "" };
  const pass: Pass = { records: false, alone: false, refused: [] };
  return DevelopTask.parse(admitFields(TASKS.each, task, place, pass));
}

/** The state whose last test run says nothing any more, with the counts of its tasks counted again. */
export function unproven(state: LoopState): LoopState {
  return state.skill_state ? withTasks(withStaleProof(state), [...tasksOf(state)]) : state;
}

/** A list of things that have ids of their own, each once, by that id; null for any other value. */
export function itemsById(value: unknown): Map<string, unknown> | null {
  if (!Array.isArray(value)) return null;
  const map = new Map<string, unknown>();
  for (const item of value) {
    if (!isPlain(item) || typeof item.id !== "string" || map.has(item.id)) return null;
    map.set(item.id, item);
  }
  return map;
}

/** One reading of a file: whether records count, whether nothing else is known of its loop, and where it was refused. */
interface Pass {
  records: boolean;
  alone: boolean;
  refused: string[];
}

/** The same place in our state and in what the file was made from. */
interface JsonLocation {
  ours: unknown;
  base: unknown;
  path: string;
}

function admit(rule: Rule, theirs: unknown, place: JsonLocation, pass: Pass): unknown {
  if (typeof rule === "string" || "words" in rule) {
    return isOpen(rule, theirs, pass) ? theirs : refuse(theirs, place, pass);
  }
  // A field that they leave out is no change.
  if (theirs === undefined) return "each" in rule ? undefined : place.ours;
  if ("each" in rule) return admitItems(rule, theirs, place, pass);
  const isThere = pass.records || isPlain(place.ours);
  return isPlain(theirs) && isThere
    ? admitFields(rule, theirs, place, pass)
    : refuse(theirs, place, pass);
}

function isOpen(rule: Exclude<Rule, Fields | ItemsRule>, theirs: unknown, pass: Pass): boolean {
  if (typeof rule !== "string") return pass.records || rule.words.some((word) => word === theirs);
  return rule === "operator" || (rule === "record" && pass.records);
}

function refuse(theirs: unknown, { ours, base, path }: JsonLocation, pass: Pass): unknown {
  if (sameValue(theirs, ours)) return pass.records ? theirs : ours;
  if (theirs !== undefined && !sameValue(theirs, base)) pass.refused.push(path);
  return ours;
}

function admitFields(rule: Fields, theirs: Plain, place: JsonLocation, pass: Pass): Plain {
  const ours = isPlain(place.ours) ? place.ours : {};
  const base = isPlain(place.base) ? place.base : {};
  const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  const entries = [...keys].map((key) => {
    const part =
      (ownOf(rule.fields as Plain, key) as Rule | undefined) ?? rule.others ?? "operator";
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const inner = { ours: ownOf(ours, key), base: ownOf(base, key), path };
    return [key, admit(part, ownOf(theirs, key), inner, pass)] as const;
  });
  const admitted = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return pass.alone
    ? admitted
    : withReserved(rule, admitted, { ours, base, path: place.path }, pass);
}

/** With the fields as ours has them that no file may change. */
function withReserved(
  { reserved }: Fields,
  admitted: Plain,
  { ours, base, path }: JsonLocation & { ours: Plain; base: Plain },
  pass: Pass,
): Plain {
  const keys = reserved?.(admitted, ours) ?? [];
  for (const key of keys) {
    const said = ownOf(admitted, key);
    if (sameValue(said, ownOf(ours, key)) || sameValue(said, ownOf(base, key))) continue;
    pass.refused.push(path === "" ? key : `${path}.${key}`);
  }
  const kept = Object.entries(ours).filter(([key]) => keys.includes(key));
  const others = Object.entries(admitted).filter(([key]) => !keys.includes(key));
  return Object.fromEntries([...others, ...kept]);
}

function admitItems(rule: ItemsRule, theirs: unknown, place: JsonLocation, pass: Pass): unknown {
  const ours = itemsById(place.ours ?? []);
  const listed = itemsById(theirs);
  if (!ours || (!listed && ours.size > 0)) return refuse(theirs, place, pass);
  if (!listed) return admitEach(rule, theirs, place, pass);
  const base = itemsById(place.base) ?? new Map<string, unknown>();
  const ids = rule.removable ? listed.keys() : new Set([...ours.keys(), ...listed.keys()]);
  return [...ids].map((id) => {
    const item = listed.get(id);
    if (!isPlain(item)) return ours.get(id);
    const path = `${place.path}[${id}]`;
    const known = ours.get(id) ?? blankOf(rule, id);
    return admitFields(rule.each, item, { ours: known, base: base.get(id), path }, pass);
  });
}

/** A list that no name leads into, where there is none yet. */
function admitEach(rule: ItemsRule, theirs: unknown, place: JsonLocation, pass: Pass): unknown {
  if (!Array.isArray(theirs) || !theirs.every(isPlain)) return refuse(theirs, place, pass);
  return theirs.map((item, n) => {
    const inner = { ours: blankOf(rule, "-"), base: undefined, path: `${place.path}[${n}]` };
    return admitFields(rule.each, item, inner, pass);
  });
}

/** A thing of which nothing but its name is known. */
function blankOf({ schema }: ItemsRule, id: string): unknown {
  return schema.parse({ id, description: "" });
}

/** The trusted state beside a file that alone is left of a loop: empty. */
function emptyBeside({ skill_state }: LoopState): Plain {
  if (!skill_state) return {};
  const { stale } = skill_state.validate;
  return { skill_state: SkillState.parse({ validate: stale === undefined ? {} : { stale } }) };
}
