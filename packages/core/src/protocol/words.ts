import { canonicalAction } from "../state/older-spellings.ts";
import type { ActionResult, ActionStatus } from "./action-result.ts";

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
  const word = firstWord(value);
  if (word === undefined) return undefined;
  const name = word.toUpperCase() === "UNKNOWN" ? "UNKNOWN" : canonicalAction(word);
  return name as ActionResult["action"] | undefined;
}

/** The status a value names; undefined for `success | failed | needs_input` and for anything else. */
export function statusOf(value: unknown): ActionStatus | undefined {
  const word = firstWord(value)?.toLowerCase().replaceAll(/[ -]/g, "_") ?? "";
  return Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
}

/** The next action a value advises; undefined when it names none. */
export function nextOf(value: unknown): string | undefined {
  const word = firstWord(value);
  if (word === undefined) return undefined;
  const next = canonicalAction(word) ?? word.toUpperCase().replaceAll("-", "_");
  return /^[A-Z]+(?:_[A-Z]+)*$/.test(next) ? next : undefined;
}

/** A value that only stands for one: `{user-facing message}`, `<text>`, `...`. */
export function isPlaceholder(value: string): boolean {
  const text = value.trim();
  if (text === "..." || text === "…") return true;
  const pair = `${text[0]}${text.at(-1)}`;
  if (text.length > 200 || (pair !== "{}" && pair !== "<>")) return false;
  return !/[{}<>"\n]/.test(text.slice(1, -1));
}

const LEADING = /[\s*_`"']{0,20}/y;
const WORD = /[A-Za-z]{1,40}(?:[_-][A-Za-z]{1,40}){0,5}/y;
const OR = /[\s*_`"']{0,20}\|/y;

/** The first word, without the marks around it; undefined for a placeholder or a choice of several. */
function firstWord(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const head = value.slice(0, 400);
  LEADING.lastIndex = 0;
  LEADING.test(head);
  WORD.lastIndex = LEADING.lastIndex;
  const word = WORD.exec(head)?.[0];
  OR.lastIndex = WORD.lastIndex;
  return word !== undefined && OR.test(head) ? undefined : word;
}
