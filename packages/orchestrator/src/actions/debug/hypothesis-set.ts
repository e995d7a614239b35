import {
  type DebugUpdates,
  type Hypothesis,
  isUnsettled,
  judgeEvidence,
  mergeHypotheses,
  type ProbeEvidence,
  probeEvidence,
  repetitionText,
  withEvidence,
} from "@ccw-loop/core";

/** What one DEBUG works with: every hypothesis as it stands now, and which of them it has spoken of. */
export class HypothesisSet {
  /** The number that the note of this DEBUG will have. */
  readonly iteration: number;
  /** The last round whose probes were run; it goes on from what an earlier attempt has on record. */
  round: number;
  /** Sentences about ideas that were not taken in. */
  readonly repeated: string[] = [];
  #ideas: readonly Hypothesis[];
  readonly #touched = new Set<string>();

  /** `repeats`: an earlier attempt was cut off, and what is pending is its. */
  constructor(known: readonly Hypothesis[], iteration: number, repeats: boolean) {
    this.#ideas = known;
    this.iteration = iteration;
    this.round = Math.max(0, ...known.flatMap((idea) => this.#roundsOf(idea)));
    for (const idea of known) {
      const pending = repeats && idea.status === "pending";
      if (pending || this.#roundsOf(idea).length > 0) this.#touched.add(idea.id);
    }
  }

  get ideas(): readonly Hypothesis[] {
    return this.#ideas;
  }

  get touched(): Hypothesis[] {
    return this.#ideas.filter(({ id }) => this.#touched.has(id));
  }

  take({ hypotheses, repeated }: DebugUpdates): void {
    for (const repetition of repeated) {
      const text = repetitionText(repetition);
      if (!this.repeated.includes(text)) this.repeated.push(text);
    }
    this.#put(hypotheses);
  }

  /** Adds what a probe showed, with the verdict that follows from it; returns the hypothesis as it is now. */
  add(evidence: ProbeEvidence): Hypothesis | undefined {
    const idea = this.#ideas.find(({ id }) => id === evidence.hid);
    if (!idea) return undefined;
    const { status, reason } = judgeEvidence(evidence.data);
    const judged = { ...withEvidence(idea, evidence), status, verdict_reason: reason };
    this.#put([judged]);
    return judged;
  }

  shownIn(round: number): { idea: Hypothesis; evidence: ProbeEvidence[] }[] {
    return this.#ideas.flatMap((idea) => {
      const evidence = this.#evidenceOf(idea).filter(({ data }) => data.round === round);
      return evidence.length === 0 ? [] : [{ idea, evidence }];
    });
  }

  /** The confirmed cause that is to be repaired: the one that the agent chose, else the most likely that a probe of this DEBUG confirmed. */
  cause(chosen: string | null): Hypothesis | undefined {
    const confirmed = this.touched.filter(isUnsettled).sort((a, b) => a.likelihood - b.likelihood);
    return (
      confirmed.find(({ id }) => id === chosen) ??
      confirmed.find((idea) => this.#roundsOf(idea).length > 0)
    );
  }

  /** Closes the file: what was not probed is inconclusive, with the reason. */
  conclude(): Hypothesis[] {
    const pending = this.touched.filter((idea) => idea.status === "pending");
    this.#put(
      pending.map((idea) => ({
        ...idea,
        status: "inconclusive",
        verdict_reason: idea.probe
          ? "Its probe was not run in this analysis."
          : "No probe was given that could decide it.",
      })),
    );
    return this.touched;
  }

  #put(ideas: readonly Hypothesis[]): void {
    this.#ideas = mergeHypotheses(this.#ideas, ideas);
    for (const { id } of ideas) this.#touched.add(id);
  }

  #evidenceOf(idea: Hypothesis): ProbeEvidence[] {
    return probeEvidence(idea).filter(({ data }) => data.iteration === this.iteration);
  }

  #roundsOf(idea: Hypothesis): number[] {
    return this.#evidenceOf(idea).flatMap(({ data }) => data.round ?? []);
  }
}
