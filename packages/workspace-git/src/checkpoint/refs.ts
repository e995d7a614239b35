import { LoopError } from "@ccw-loop/core";

const SPACE = "refs/ccw-loop";

/**
 * A loop's id as one part of a ref: as it is where git allows it, else with `%` and hexadecimal digits in
 * place of bytes, so that `decodeURIComponent` gives it back.
 */
export function refPart(id: string): string {
  if (id === "" || !id.isWellFormed()) {
    throw new LoopError("invalid_id", `${JSON.stringify(id)} cannot name a loop's checkpoints.`);
  }
  return encodeURIComponent(id)
    .replaceAll(/[*~]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll(/^\.|\.$|\.(?=\.)|\.(?=lock$)/gi, "%2E");
}

/** Where the checkpoints of a loop are, with `/` at its end. */
export function refsOf(id: string): string {
  return `${SPACE}/${refPart(id)}/`;
}

/**
 * `{n}`, and `{n}.{variant}` for further checkpoints of that number: what a crash or a rewind left behind, or another
 * owner made, keeps its ref.
 */
export function checkpointRef(id: string, n: number, variant = 0): string {
  if (Number.isSafeInteger(n) && n >= 0) {
    return `${refsOf(id)}${n}${variant === 0 ? "" : `.${variant}`}`;
  }
  throw new LoopError("invalid_input", `A checkpoint's number is 0 or above, not ${n}.`);
}

/** The number and the variant that a checkpoint's ref names; null for any other name. */
export function numberOf(id: string, ref: string): { n: number; variant: number } | null {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(ref.slice(refsOf(id).length));
  return found && { n: Number(found[1]), variant: Number(found[2] ?? 0) };
}

/** The branch of a loop's worktree. */
export function branchOf(id: string): string {
  return `ccw-loop/${refPart(id)}`;
}
