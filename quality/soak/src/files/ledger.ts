import type { Recorded } from "./recorded.ts";

/** A commit whose promise had resolved. */
export interface Acknowledged {
  loop: string;
  revision: number;
  facts: string;
}

/** Everything that was acknowledged, to be looked for in what is recorded. */
export class Ledger {
  readonly #loops = new Map<string, Map<number, string>>();
  readonly #lost = new Set<string>();
  #count = 0;

  /** Of two commits that were acknowledged with one revision, one is lost. */
  add({ loop, revision, facts }: Acknowledged): void {
    const commits = this.#loops.get(loop) ?? new Map<number, string>();
    this.#loops.set(loop, commits);
    this.#count += 1;
    if (commits.has(revision)) this.#miss(loop, revision, "was acknowledged twice");
    commits.set(revision, facts);
  }

  /** Looks for these commits of one loop; without any, for all of it. */
  lookFor(loop: string, recorded: Recorded, only?: readonly Acknowledged[]): void {
    const wanted = only ?? [...this.#of(loop)].map(([revision, facts]) => ({ revision, facts }));
    for (const { revision, facts } of wanted) {
      const found = recorded.get(revision);
      if (found === undefined) this.#miss(loop, revision, "is nowhere");
      else if (found !== facts) this.#miss(loop, revision, "holds something else");
    }
  }

  /** Loops of which anything was acknowledged. */
  get loops(): string[] {
    return [...this.#loops.keys()];
  }

  get count(): number {
    return this.#count;
  }

  /** A sentence for each lost commit. */
  get lost(): readonly string[] {
    return [...this.#lost];
  }

  #of(loop: string): ReadonlyMap<number, string> {
    return this.#loops.get(loop) ?? new Map();
  }

  #miss(loop: string, revision: number, what: string): void {
    this.#lost.add(`Acknowledged revision ${revision} of ${loop} ${what}.`);
  }
}
