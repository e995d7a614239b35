import { isPlain, type Plain } from "../state/plain.ts";
import { jsonObjects } from "./json-objects.ts";

/** More segments than any field of a state has. */
const MAX_SEGMENTS = 8;
const DOTTED = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+$/;

/** `{"develop.completed": 2}` → `{develop: {completed: 2}}`; only at the top, where dotted names are fields. */
function nestDotted(updates: Plain): Plain {
  const entries = Object.entries(updates).filter(([key]) => key !== "__proto__");
  const tree: Plain = Object.fromEntries(entries.filter(([key]) => !isPath(key)));
  const ours = new Set<Plain>([tree]);
  for (const [key, value] of entries) {
    if (isPath(key) && !place(tree, key.split("."), value, ours)) tree[key] = value;
  }
  return tree;
}

function isPath(key: string): boolean {
  if (key.length > 400 || !DOTTED.test(key)) return false;
  const segments = key.split(".");
  return segments.length <= MAX_SEGMENTS && !segments.includes("__proto__");
}

/** Puts the value into the tree, copying what is not `ours` yet; false where something else is in the way. */
function place(tree: Plain, path: readonly string[], value: unknown, ours: Set<Plain>): boolean {
  const [key = "", ...rest] = path;
  const found = Object.hasOwn(tree, key) ? tree[key] : undefined;
  if (rest.length === 0) {
    if (found !== undefined) return false;
    tree[key] = value;
    return true;
  }
  if (found !== undefined && !isPlain(found)) return false;
  const branch = found && ours.has(found) ? found : { ...found };
  ours.add(branch);
  tree[key] = branch;
  return place(branch, rest, value, ours);
}

/** The updates of a text or a JSON field; undefined when there is something that is no JSON object. */
export function readUpdates(value: unknown): Plain | undefined {
  if (value === undefined || value === null) return {};
  if (isPlain(value)) return nestDotted(value);
  if (typeof value !== "string") return undefined;
  const [span] = jsonObjects(value);
  if (span) {
    const parsed: unknown = JSON.parse(value.slice(span.start, span.end));
    return isPlain(parsed) ? nestDotted(parsed) : undefined;
  }
  const text = value.replaceAll(/[`\s]/g, "").replace(/^json/i, "");
  const nothing = ["", "-", "–", "none", "null", "n/a", "{...}", "{…}", "(none)"];
  return nothing.includes(text.toLowerCase()) ? {} : undefined;
}
