import { isPlain, type Plain } from "../json.ts";
import {
  type ActionResult,
  actionOf,
  type FoundResult,
  type ParsedActionResult,
  resultOf,
  statusOf,
} from "./action-result.ts";
import { jsonObjects, type Span } from "./json-objects.ts";
import { lastTextBlock } from "./text-block.ts";

/**
 * Reads what an agent answered: the JSON object (bare, in a fence, anywhere in prose), the text block in every
 * spelling that was ever documented, or the oldest `{skillStateUpdates, continue, message}`. The last complete
 * one wins; templates with their placeholders never count. Linear time on any input.
 */
export function parseActionResult(text: string): ParsedActionResult {
  const { last: block, problem } = lastTextBlock(text);
  const json = lastJsonResult(text, block?.span);
  const winner = json && (!block || json.span.start > block.span.start) ? json : block;
  if (winner?.result) return { ok: true, result: winner.result };
  return { ok: false, problem: winner?.problem ?? progressProblem(text) ?? problem };
}

/** An agent that is forced into the schema also reports while it works; as a last word that is no result. */
function progressProblem(text: string): string | undefined {
  const tail = text.slice(-100_000);
  return /"status"\s{0,20}:\s{0,20}"in_progress"/.test(tail)
    ? "The last answer still says in_progress; it names no result."
    : undefined;
}

/** Shorter than `{"stateUpdates":{}}` is no result. */
const SHORTEST = 16;

/** The last JSON object that is a result and does not lie inside `except`; parses each object once. */
function lastJsonResult(text: string, except: Span | undefined): FoundResult | undefined {
  const spans = jsonObjects(text, SHORTEST);
  for (const span of spans.reverse()) {
    if (except && span.start >= except.start && span.start < except.end) continue;
    const source = text.slice(span.start, span.end);
    if (!source.includes("action") && !source.includes("tateUpdates")) continue;
    const found = findResult(JSON.parse(source));
    if (found) return { span, ...found };
  }
  return undefined;
}

type Found = Omit<FoundResult, "span">;

/** The result that a value is, or the last one it contains: `{"ACTION_RESULT": {…}}`. */
function findResult(value: unknown): Found | undefined {
  if (Array.isArray(value)) return lastOf(value);
  if (!isPlain(value)) return undefined;
  return asResult(value) ?? lastOf(Object.values(value));
}

function lastOf(values: readonly unknown[]): Found | undefined {
  for (let i = values.length - 1; i >= 0; i -= 1) {
    const found = findResult(values[i]);
    if (found) return found;
  }
  return undefined;
}

function asResult(value: Plain): Found | undefined {
  const older = isPlain(value.skillStateUpdates) || isPlain(value.stateUpdates);
  const action = actionOf(value.action) ?? (older ? "UNKNOWN" : undefined);
  const status = statusOf(value.status) ?? (older ? olderStatus(value) : undefined);
  if (!action || !status) return undefined;
  return resultOf({
    action,
    status,
    message: typeof value.message === "string" ? value.message.trim() : "",
    state_updates: value.state_updates ?? value.skillStateUpdates ?? value.stateUpdates,
    files_updated: filesOf(value.files_updated ?? value.FILES_UPDATED),
  });
}

/** The oldest form has no status: it failed when it carries an error. */
function olderStatus(value: Plain): ActionResult["status"] {
  return typeof value.error === "string" && value.error !== "" ? "failed" : "success";
}

/** Paths as texts, as objects with a `path`, or as the keys of a map. */
function filesOf(value: unknown): string[] {
  const items: unknown = isPlain(value) ? Object.keys(value) : value;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown) => {
    const path = isPlain(item) ? item.path : item;
    return typeof path === "string" && path.trim() !== "" ? [path.trim()] : [];
  });
}
