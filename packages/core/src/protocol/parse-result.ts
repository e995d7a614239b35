import type { ParsedActionResult } from "./action-result.ts";
import { lastJsonResult } from "./json-result.ts";
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
