import { z } from "zod";
import { isPlain, ownOf, type Plain } from "../json.ts";
import { canonicalAction } from "../state/read.ts";
import { ActionName } from "../state/skill-state.ts";
import { jsonObjects, type Span } from "./json-objects.ts";

export const ActionStatus = z.enum(["success", "failed", "needs_input"]);
export type ActionStatus = z.infer<typeof ActionStatus>;

/**
 * What an agent says about one action: its claim, not a fact. `action` is `UNKNOWN` in the oldest form, which
 * does not name it.
 */
export const ActionResult = z
  .object({
    action: z.union([ActionName, z.literal("UNKNOWN")]),
    status: ActionStatus,
    message: z.string().trim(),
    state_updates: z.record(z.string(), z.unknown()),
    /** Paths of files the agent says it touched; the workspace measures the fact. */
    files_updated: z.array(z.string().trim().min(1)),
  })
  .meta({ id: "ActionResult", title: "ACTION_RESULT of one action" });
export type ActionResult = z.infer<typeof ActionResult>;

/** `problem` is one sentence that a repair prompt can quote. */
export type ParsedActionResult =
  | { ok: true; result: ActionResult }
  | { ok: false; problem: string };

/** One ACTION_RESULT in an answer: where it stands, and what it says or what is wrong with it. */
export interface FoundResult {
  span: Span;
  result: ActionResult | undefined;
  problem: string;
}

/** What fields say whose updates are still to be read. */
export function resultOf(
  fields: Omit<ActionResult, "state_updates"> & { state_updates: unknown },
): Omit<FoundResult, "span"> {
  const state_updates = readUpdates(fields.state_updates);
  return state_updates
    ? { result: { ...fields, state_updates }, problem: "" }
    : { result: undefined, problem: "The state_updates are not one JSON object." };
}

const STATUSES: Readonly<Record<string, ActionStatus>> = {
  success: "success",
  succeeded: "success",
  completed: "success",
  done: "success",
  ok: "success",
  failed: "failed",
  failure: "failed",
  error: "failed",
  needs_input: "needs_input",
  waiting_input: "needs_input",
};

/** The action a value names; undefined for a template's placeholder and for anything else. */
export function actionOf(value: unknown): ActionResult["action"] | undefined {
  const word = firstWord(value) ?? "";
  return word.toUpperCase() === "UNKNOWN" ? "UNKNOWN" : canonicalAction(word);
}

/** The status a value names; undefined for `success | failed | needs_input` and for anything else. */
export function statusOf(value: unknown): ActionStatus | undefined {
  const word = firstWord(value)?.toLowerCase().replaceAll(/[ -]/g, "_") ?? "";
  return Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
}

/** A value that only stands for one: `{user-facing message}`, `<text>`, `...`. */
export function isPlaceholder(value: string): boolean {
  const text = value.trim();
  if (text === "..." || text === "…") return true;
  const pair = `${text[0]}${text.at(-1)}`;
  if (text.length > 200 || (pair !== "{}" && pair !== "<>")) return false;
  return !/[{}<>"\n]/.test(text.slice(1, -1));
}

/** A word with the marks around it, and whether an alternative follows. */
const FIRST_WORD =
  /^[\s*_`"']{0,20}([A-Za-z]{1,40}(?:[_-][A-Za-z]{1,40}){0,5})([\s*_`"']{0,20}\|)?/;

/** The first word, without the marks around it; undefined for a placeholder or a choice of several. */
export function firstWord(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const [, word, or] = FIRST_WORD.exec(value.slice(0, 400)) ?? [];
  return or === undefined ? word : undefined;
}

/** The parts of a state that updates are read from, and a field of one. */
const DOTTED = /^(?:skill_state\.)?(develop|debug)\.([A-Za-z]\w*)$/;

/** `{"develop.summary": "…"}` → `{develop: {summary: "…"}}`. Other dotted names stay as they are. */
function nestDotted(updates: Plain): Plain {
  const entries = Object.entries(updates).filter(([key]) => key !== "__proto__");
  const tree: Plain = Object.fromEntries(entries);
  for (const [key, value] of entries) {
    const [, part, name] = DOTTED.exec(key) ?? [];
    if (part === undefined || name === undefined) continue;
    const fields = ownOf(tree, part) ?? {};
    if (!isPlain(fields) || Object.hasOwn(fields, name)) continue;
    fields[name] = value;
    tree[part] = fields;
    delete tree[key];
  }
  return tree;
}

/** The updates of a text or a JSON field; undefined when there is something that is no JSON object. */
function readUpdates(value: unknown): Plain | undefined {
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
