import type { Hypothesis } from "../state/hypothesis.ts";

/** An idea that was not taken in, because it says again what evidence has ruled out. */
export interface Repetition {
  id: string;
  /** The rejected one, and why it was rejected. */
  repeats: string;
  reason: string | null;
}

export function repetition(id: string, rejected: Hypothesis): Repetition {
  return { id, repeats: rejected.id, reason: rejected.verdict_reason };
}

/** `H4 repeats H2, which was rejected: the total is right.` */
export function repetitionText({ id, repeats, reason }: Repetition): string {
  const why = reason?.trim().replace(/[.\s]+$/, "");
  const what = id === repeats ? `${id} was proposed again` : `${id} repeats ${repeats}`;
  return `${what}, which was rejected${why ? ` because ${why}` : ""}.`;
}
