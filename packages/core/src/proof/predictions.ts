import type {
  Condition,
  Prediction,
  PredictionOutcome,
  Probe,
  ProbeEvidence,
  Relation,
} from "../state/hypothesis.ts";

/** What a probe showed, as far as predictions speak of it. */
export type ProbeOutcome = Pick<ProbeEvidence["data"], "exit_code" | "output" | "timed_out">;

/**
 * Searches `text` in bounded time: the first group of the first match or the whole match, null for none. Throws for a
 * pattern that is no regular expression or takes too long.
 */
export type FindPattern = (pattern: string, text: string) => string | null;

export function comparePredictions(
  { if_holds, if_not }: Pick<Probe, "if_holds" | "if_not">,
  outcome: ProbeOutcome,
  find: FindPattern,
): PredictionOutcome {
  if (outcome.timed_out) return "neither";
  const holds = meets(if_holds, outcome, find);
  const not = meets(if_not, outcome, find);
  if (holds) return not ? "both" : "holds";
  return not ? "does_not_hold" : "neither";
}

/** Why no run of this probe could decide, as a sentence; null for one that can. */
export function probeProblem(probe: Probe, find: FindPattern): string | null {
  const { if_holds, if_not } = probe;
  if (if_holds.length === 0 || if_not.length === 0) {
    return "It needs a prediction for both cases, if_holds and if_not, with conditions that can be compared.";
  }
  try {
    for (const condition of [...if_holds, ...if_not]) {
      if ("pattern" in condition) find(String(condition.pattern), "");
    }
    if (excludes(if_holds, if_holds, find) || excludes(if_not, if_not, find)) {
      return "One of its predictions contradicts itself, so nothing can meet it.";
    }
    if (excludes(if_holds, if_not, find)) return null;
  } catch (error) {
    return `A pattern of its predictions cannot be used: ${error instanceof Error ? error.message : error}.`;
  }
  return "Its two predictions cannot be told apart: one outcome can meet both. Give them conditions that exclude each other.";
}

/** Whether every condition is met; a prediction without one is met by nothing. */
function meets(prediction: Prediction, outcome: ProbeOutcome, find: FindPattern): boolean {
  return prediction.length > 0 && prediction.every((one) => isMet(one, outcome, find));
}

function isMet(
  condition: Condition,
  { exit_code, output }: ProbeOutcome,
  find: FindPattern,
): boolean {
  if (condition.kind === "exit_code") {
    return exit_code !== null && isRelated(exit_code, condition);
  }
  const text = output.trim();
  switch (condition.kind) {
    case "text":
      if (condition.how === "is") return text === condition.text.trim();
      return text.includes(condition.text) === (condition.how === "contains");
    case "pattern":
      return (find(condition.pattern, text) !== null) === condition.found;
    case "number": {
      const found = find(condition.pattern, text)?.trim();
      const number = found ? Number(found) : Number.NaN;
      return Number.isFinite(number) && isRelated(number, condition);
    }
  }
}

/** Whether no outcome meets both: some condition of one rules out some condition of the other. */
function excludes(a: Prediction, b: Prediction, find: FindPattern): boolean {
  return a.some((one) =>
    b.some((other) => rulesOut(one, other, find) || rulesOut(other, one, find)),
  );
}

function rulesOut(one: Condition, other: Condition, find: FindPattern): boolean {
  if (one.kind === "exit_code" && other.kind === "exit_code") {
    const at = [one.value, other.value].flatMap((value) => [value - 1, value, value + 1]);
    return noneMeets(at, one, other);
  }
  if (other.kind === "exit_code") return false;
  if (one.kind === "text" && one.how === "is") {
    return !isMet(other, { exit_code: null, output: one.text }, find);
  }
  if (one.kind === "text" && other.kind === "text") {
    return one.how === "contains" && other.how === "lacks" && one.text.includes(other.text);
  }
  if (!("pattern" in one && "pattern" in other) || one.pattern !== other.pattern) return false;
  if (one.kind === "number" && other.kind === "number") {
    const { value: v } = one;
    const { value: w } = other;
    return noneMeets([v, w, v / 2 + w / 2, -Number.MAX_VALUE, Number.MAX_VALUE], one, other);
  }
  return other.kind === "pattern" && !other.found && (one.kind === "number" || one.found === true);
}

interface Bound {
  compare: Relation;
  value: number;
}

/** `at` has a number of each of the ranges that the two values part. */
function noneMeets(at: readonly number[], one: Bound, other: Bound): boolean {
  return !at.some((number) => isRelated(number, one) && isRelated(number, other));
}

const RELATIONS: Readonly<Record<Relation, (number: number, value: number) => boolean>> = {
  "<": (number, value) => number < value,
  "<=": (number, value) => number <= value,
  "=": (number, value) => number === value,
  "!=": (number, value) => number !== value,
  ">=": (number, value) => number >= value,
  ">": (number, value) => number > value,
};

function isRelated(number: number, { compare, value }: Bound): boolean {
  return RELATIONS[compare](number, value);
}
