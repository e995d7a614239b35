import type { z } from "zod";
import { LoopError } from "../errors.ts";
import { LoopState } from "./loop-state.ts";
import { normalizeState } from "./older-spellings.ts";
import { isPlain } from "./plain.ts";

/**
 * Parsed JSON of any tool and age → the state, in today's spelling; unknown fields survive. Reading what
 * was read before changes nothing. Throws `store_corrupt` that names the first wrong field and what was found
 * there (`details.field`, `details.problems`).
 */
export function readLoopState(raw: unknown): LoopState {
  if (!isPlain(raw)) {
    throw new LoopError(
      "store_corrupt",
      `The loop state is ${shown(raw)}, not a JSON object. Rebuild it with: ccw-loop recover.`,
    );
  }
  const state = normalizeState(raw);
  const parsed = LoopState.safeParse(state);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => problemOf(issue, state));
  throw new LoopError(
    "store_corrupt",
    `The loop state cannot be read: ${problems[0]}. Correct that field, or rebuild the loop with: ccw-loop recover.`,
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
