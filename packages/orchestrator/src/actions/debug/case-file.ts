import {
  type DebugUpdates,
  type Hypothesis,
  mergeIdeas,
  type ProbeEvidence,
  probeEvidence,
  repetitionText,
  type Verdict,
  withEvidence,
} from "@ccw-loop/core";

/** What one DEBUG works with: every hypothesis as it stands now, and which of them it has spoken of. */
export class CaseFile {
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

  /** What this DEBUG has spoken of. */
  get touched(): Hypothesis[] {
    return this.#ideas.filter(({ id }) => this.#touched.has(id));
  }

  /** Takes in what a turn said; a verdict that it came to is kept with its round. */
  take({ hypotheses, repeated }: DebugUpdates, at: string): void {
    for (const repetition of repeated) {
      const text = repetitionText(repetition);
      if (!this.repeated.includes(text)) this.repeated.push(text);
    }
    this.#put(hypotheses.map((idea) => this.#withVerdict(idea, at)));
  }

  /** Adds what a probe showed; answers with the hypothesis as it is now. */
  add(evidence: ProbeEvidence): Hypothesis | undefined {
    const idea = this.#ideas.find(({ id }) => id === evidence.hid);
    if (!idea) return undefined;
    const probed = withEvidence(idea, evidence);
    this.#put([probed]);
    return probed;
  }

  /** What a round showed, in the order of the hypotheses. */
  shownIn(round: number): { idea: Hypothesis; evidence: ProbeEvidence[] }[] {
    return this.#ideas.flatMap((idea) => {
      const evidence = this.#evidenceOf(idea).filter(({ data }) => data.round === round);
      return evidence.length === 0 ? [] : [{ idea, evidence }];
    });
  }

  /** Whether the last round has evidence that nobody has judged: its process did not live to ask. */
  get isUnjudged(): boolean {
    return this.shownIn(this.round).some(({ idea }) => this.#isOpen(idea));
  }

  /** Closes the file: what has no verdict is inconclusive, with the reason. */
  conclude(at: string): Hypothesis[] {
    const open = this.touched.filter(
      (idea) => idea.status === "pending" || (idea.status === "inconclusive" && this.#isOpen(idea)),
    );
    this.#put(
      open.map((idea) => {
        const verdict_reason = reasonForNone(idea, this.#evidenceOf(idea).length > 0);
        return this.#withVerdict({ ...idea, status: "inconclusive", verdict_reason }, at);
      }),
    );
    return this.touched;
  }

  #put(ideas: readonly Hypothesis[]): void {
    this.#ideas = mergeIdeas(this.#ideas, ideas);
    for (const { id } of ideas) this.#touched.add(id);
  }

  #withVerdict(idea: Hypothesis, at: string): Hypothesis {
    const { iteration, round } = this;
    const before = this.#ideas.find(({ id }) => id === idea.id);
    const probedNow = this.#roundsOf(idea).includes(round) && !this.#isJudged(idea, round);
    const settled = idea.status === "confirmed" || idea.status === "rejected";
    if (idea.status === "pending" || !(probedNow || (settled && idea.status !== before?.status))) {
      return idea;
    }
    const reason = idea.verdict_reason ?? "";
    const verdict: Verdict = {
      iteration,
      round: Math.max(1, round),
      at,
      status: idea.status,
      reason,
    };
    return { ...idea, verdicts: [...(idea.verdicts ?? []), verdict] };
  }

  /** Whether a probe of it showed something that nobody has judged. */
  #isOpen(idea: Hypothesis): boolean {
    return this.#roundsOf(idea).some((round) => !this.#isJudged(idea, round));
  }

  #isJudged({ verdicts = [] }: Hypothesis, round: number): boolean {
    return verdicts.some(
      (verdict) => verdict.iteration === this.iteration && verdict.round === round,
    );
  }

  #evidenceOf(idea: Hypothesis): ProbeEvidence[] {
    return probeEvidence(idea).filter(({ data }) => data.iteration === this.iteration);
  }

  #roundsOf(idea: Hypothesis): number[] {
    return this.#evidenceOf(idea).flatMap(({ data }) => data.round ?? []);
  }
}

function reasonForNone({ probe }: Hypothesis, probed: boolean): string {
  if (probed) return "The agent came to no verdict on what its probe showed.";
  return probe
    ? "Its probe was not run in this analysis."
    : "No probe was given that could decide it.";
}
