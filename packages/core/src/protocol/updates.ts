import { z } from "zod";
import { isPlain, type Known, type Plain } from "../json.ts";
import { Hypothesis } from "../state/hypothesis.ts";
import { TaskMode, TaskTool, taskCommand } from "../state/task.ts";
import { type Repetition, readHypotheses } from "./hypotheses.ts";

/**
 * A task as an agent proposes it. Fields that only the orchestrator may set (status, id, …) are dropped, and so are a
 * tool and a mode that there are none of. Prose is never run: `bash` counts with a `command` alone.
 */
export const TaskProposal = z
  .preprocess(
    (value) => (typeof value === "string" ? { description: value } : withDescription(value)),
    z.object({
      description: z.string().trim().min(1),
      tool: TaskTool.optional().catch(undefined),
      mode: TaskMode.optional().catch(undefined),
      /** The failed task or the hypothesis this one repairs. */
      fixes: z.string().min(1).nullish().transform(present),
      /** With it the task is this command, which the orchestrator runs. */
      command: z.string().trim().min(1).nullish().catch(undefined).transform(present),
    }),
  )
  .transform(({ tool, command, ...task }) => ({ ...task, ...commandOrTool(tool, command) }));
export type TaskProposal = Known<z.infer<typeof TaskProposal>>;

/** `state_updates` of INIT: the plan. `{develop: {tasks}}` is read as well. */
export const InitUpdates = z.preprocess(
  (value) => lifted(value, "develop", "tasks"),
  z.object({
    tasks: z.array(TaskProposal).min(1),
    /** Tests that fail already and are none of this loop's business, as parts of their names. */
    set_aside: z.array(z.string().min(1)).nullish().transform(present),
  }),
);

/** `state_updates` of DEVELOP: what was done, for the timeline; empty when the agent says nothing. */
export const DevelopUpdates = z.preprocess(
  (value) => lifted(value, "develop", "summary"),
  z.object({
    summary: z
      .string()
      .nullish()
      .transform((text) => text?.trim() ?? ""),
  }),
);

function commandOrTool(tool: TaskTool | undefined, command: string | undefined) {
  if (tool !== undefined && tool !== "bash") return { tool };
  const runs = taskCommand({ tool: "bash", command });
  return runs === null ? {} : { tool: "bash" as const, command: runs, proposed: true };
}

function present<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

/** Planners name a task's text `title` or `task` as often as `description`. */
function withDescription(value: unknown): unknown {
  if (!isPlain(value) || typeof value.description === "string") return value;
  return { ...value, description: value.title ?? value.task };
}

/** The updates with `key` at the top, wherever an agent that knows the state file put it. */
function lifted(value: unknown, part: string, key: string): unknown {
  if (!isPlain(value) || Object.hasOwn(value, key)) return value;
  const skill: Plain = isPlain(value.skill_state) ? value.skill_state : value;
  const inner = skill[part];
  return isPlain(inner) && Object.hasOwn(inner, key) ? { ...value, [key]: inner[key] } : value;
}

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
