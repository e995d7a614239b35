import { z } from "zod";
import { Hypothesis } from "../state/hypothesis.ts";
import { isPlain } from "../state/plain.ts";
import { readHypotheses } from "./read-ideas.ts";
import type { Repetition } from "./repetition.ts";
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

/** What one DEBUG turn says, after the rules of `debugUpdates`. */
export interface DebugUpdates {
  active_bug: string | null;
  understanding: string;
  /** New ones, and known ones that the answer speaks of, with all that is known of them. */
  hypotheses: Hypothesis[];
  /** Which of them it gives a probe that is to be run. */
  to_probe: string[];
  repeated: Repetition[];
  /** The cause that it chooses among those that evidence has confirmed. */
  confirmed_hypothesis: string | null;
  fix_tasks: TaskProposal[];
}

/**
 * The schema of DEBUG's `state_updates` for a loop that has these hypotheses `known` and these tests `failing`.
 * Ideas without an id get the next free `H1`, `H2`, … by order. What is confirmed or rejected is said by evidence on
 * record in `known`, never by the answer; what the agent itself says it saw is kept as `claimed_evidence`. A rejected
 * idea is not taken in again.
 */
export function debugUpdates(
  known: readonly Hypothesis[] = [],
  failing: readonly string[] = [],
): z.ZodType<DebugUpdates> {
  return z.preprocess(
    (value) => (isPlain(value) && isPlain(value.debug) ? { ...value.debug, ...value } : value),
    Proposal.transform((raw, context): DebugUpdates => {
      const named = raw.confirmed_hypothesis ?? null;
      const { ideas, to_probe, repeated } = readHypotheses(raw.hypotheses, {
        known,
        failing,
        named,
      });
      const parsed = z.array(Hypothesis).safeParse(ideas);
      if (!parsed.success) {
        context.addIssue({ code: "custom", message: z.prettifyError(parsed.error) });
        return z.NEVER;
      }
      const hypotheses = parsed.data;
      return {
        active_bug: raw.active_bug?.trim() || null,
        understanding: raw.understanding?.trim() ?? "",
        hypotheses,
        to_probe,
        repeated,
        confirmed_hypothesis:
          hypotheses.find(({ id, status }) => id === named && status === "confirmed")?.id ?? null,
        fix_tasks: raw.fix_tasks,
      };
    }),
  );
}

/** `debugUpdates` for a loop without hypotheses. */
export const DebugUpdates: z.ZodType<DebugUpdates> = debugUpdates();
