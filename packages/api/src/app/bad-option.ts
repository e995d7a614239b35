import { LoopError } from "@ccw-loop/core";

/** What an operator chose and cannot be meant, or cannot be used here. */
export function badOption(sentence: string, cause?: unknown): LoopError {
  return new LoopError("invalid_input", sentence, { cause });
}
