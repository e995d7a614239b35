import type { ServedProject } from "../served-project.ts";
import type { Has } from "../tools.ts";

/** What a proof stands on: a server with loops to make, and the installed clients. */
export interface ClientSetup extends ServedProject {
  tools: string;
  has: Has;
}

/** A sentence for everything that was shown; throws at what was not. */
export type Proofs = AsyncIterable<string>;

export function equal(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  throw new Error(`${what}: ${JSON.stringify(found)}, but ${JSON.stringify(wanted)} is right.`);
}
