import { z } from "zod";
import { Hypothesis } from "../state/hypothesis.ts";
import { isPlain, type Plain } from "../state/plain.ts";
import { TaskProposal } from "./updates.ts";

const Proposal = z.looseObject({
  active_bug: z.string().nullish(),
  understanding: z.string().nullish(),
  hypotheses: z
    .array(z.unknown())
    .nullish()
    .transform((list) => list ?? []),
  confirmed_hypothesis: z.string().nullish(),
  fix_tasks: z
    .array(TaskProposal)
    .nullish()
    .transform((list) => list ?? []),
});

/** What one DEBUG turn claims, after the rules of `debugUpdates`. */
export interface DebugUpdates {
  active_bug: string | null;
  understanding: string;
  hypotheses: Hypothesis[];
  confirmed_hypothesis: string | null;
  fix_tasks: TaskProposal[];
}

/**
 * The schema of DEBUG's `state_updates` for a loop that has these hypotheses `known` so far.
 * Ideas without an id get the next free `H1`, `H2`, … by order. A verdict needs evidence: a confirmed or
 * rejected hypothesis without any becomes inconclusive, and is not the confirmed one.
 */
export function debugUpdates(known: readonly Hypothesis[] = []): z.ZodType<DebugUpdates> {
  return z.preprocess(
    (value) => (isPlain(value) && isPlain(value.debug) ? { ...value.debug, ...value } : value),
    Proposal.transform((raw, context): DebugUpdates => {
      const parsed = z.array(Hypothesis).safeParse(withIds(raw.hypotheses, known));
      if (!parsed.success) {
        context.addIssue({ code: "custom", message: z.prettifyError(parsed.error) });
        return z.NEVER;
      }
      const named = raw.confirmed_hypothesis ?? null;
      const hypotheses = withNamed(parsed.data, known, named).map((idea) =>
        judged(idea.id === named ? { ...idea, status: "confirmed" } : idea),
      );
      const confirmed = hypotheses.filter((idea) => idea.status === "confirmed");
      const chosen = confirmed.find((idea) => idea.id === named) ?? confirmed[0];
      return {
        active_bug: raw.active_bug?.trim() || null,
        understanding: raw.understanding?.trim() ?? "",
        hypotheses,
        confirmed_hypothesis: chosen?.id ?? null,
        fix_tasks: raw.fix_tasks,
      };
    }),
  );
}

/** `debugUpdates` for a loop without hypotheses. */
export const DebugUpdates: z.ZodType<DebugUpdates> = debugUpdates();

function withIds(ideas: readonly unknown[], known: readonly Hypothesis[]): unknown[] {
  const taken = new Set(known.map((idea) => idea.id));
  for (const idea of ideas) if (isPlain(idea) && typeof idea.id === "string") taken.add(idea.id);
  let number = 0;
  const mint = (): string => {
    do number += 1;
    while (taken.has(`H${number}`));
    return `H${number}`;
  };
  const used = new Set<string>();
  return ideas.map((idea, position) => {
    const plain: unknown = typeof idea === "string" ? { description: idea } : idea;
    if (!isPlain(plain)) return plain;
    const given = typeof plain.id === "string" && plain.id !== "" && !used.has(plain.id);
    const id = given ? String(plain.id) : mint();
    used.add(id);
    return { ...tolerant(plain, position), id };
  });
}

/** Null where the schema has a default, evidence as a sentence, likelihood in words. */
function tolerant(idea: Plain, position: number): Plain {
  const entries = Object.entries(idea).filter(([, value]) => value !== null);
  const copy: Plain = Object.fromEntries(entries);
  if (typeof copy.evidence === "string") {
    copy.evidence = copy.evidence.trim() === "" ? null : { observed: copy.evidence.trim() };
  }
  if (typeof copy.likelihood !== "number") copy.likelihood = position + 1;
  return copy;
}

/** An earlier idea that is named as the cause now, though the answer does not repeat it, is judged again too. */
function withNamed(
  ideas: readonly Hypothesis[],
  known: readonly Hypothesis[],
  named: string | null,
): Hypothesis[] {
  const earlier = known.find((idea) => idea.id === named);
  const repeated = ideas.some((idea) => idea.id === named);
  return earlier && !repeated ? [...ideas, earlier] : [...ideas];
}

function judged(idea: Hypothesis): Hypothesis {
  const verdict = idea.status === "confirmed" || idea.status === "rejected";
  if (!verdict || hasEvidence(idea.evidence)) return idea;
  const refused = `Called ${idea.status} without evidence.`;
  return {
    ...idea,
    status: "inconclusive",
    verdict_reason: [refused, idea.verdict_reason].filter(Boolean).join(" "),
  };
}

function hasEvidence(evidence: Hypothesis["evidence"]): boolean {
  return evidence !== null && Object.keys(evidence).length > 0;
}
