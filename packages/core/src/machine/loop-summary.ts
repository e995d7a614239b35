import { z } from "zod";
import { tasksOf } from "../state/derived.ts";
import { type LoopState, LoopStatus, WaitingKind } from "../state/loop-state.ts";
import { Timestamp } from "../state/scalars.ts";
import { ActionName } from "../state/skill-state.ts";
import { BOUND_NAMES, boundsOf } from "./limits.ts";
import { stallLevelOf } from "./no-progress.ts";

/** How a loop is doing, the most urgent first. */
export const HEALTHS = [
  "waiting",
  "stuck",
  "undriven",
  "running",
  "failed",
  "resting",
  "done",
] as const;
export type Health = (typeof HEALTHS)[number];

/** How many characters of a description, and of a title or a question, are kept. */
const DESCRIBED = 500;
const TITLED = 200;

/** A loop as a list needs it; small, because there may be ten thousand. */
export const LoopSummary = z
  .object({
    id: z.string(),
    revision: z.int(),
    title: z.string().describe(`At most ${TITLED} characters.`),
    description: z.string().describe(`The first ${DESCRIBED} characters of the task.`),
    tags: z.array(z.string()),
    repository: z.string().nullable().describe("Where it is cloned from, if it brings its own."),
    status: LoopStatus,
    outcome: z.string().nullable().describe("Why it ended, as a code; null while it has not."),
    health: z.enum(HEALTHS).describe("How it does: `waiting` for a person, `done` when proven."),
    driven_by: z.string().nullable().describe("Who drives it; null for nobody, and in streams."),
    undriven_since: Timestamp.nullable().describe(
      "Since when nobody drives it although it is to be driven; null for every other one, and in streams.",
    ),
    waiting: z
      .object({
        kind: WaitingKind,
        until: Timestamp.optional(),
        about: z.string().optional(),
        prompt: z.string().optional().describe(`At most ${TITLED} characters.`),
      })
      .nullable(),
    action: ActionName.nullable().describe("The one that runs, or else the last one."),
    iteration: z.int(),
    max_iterations: z.number(),
    tests: z
      .object({ passed: z.int(), failed: z.int() })
      .nullable()
      .describe("Of the last run; null before there was one."),
    tasks: z.object({ done: z.int(), total: z.int() }),
    used: z
      .object({ bound: z.enum(BOUND_NAMES), share: z.number() })
      .describe("The bound of which most is used, and how much of it, from 0 to 1."),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "LoopSummary" });
export type LoopSummary = z.infer<typeof LoopSummary>;

/** Who drives a loop, and since when nobody does, where that is known. */
interface Driven {
  driven_by: string | null;
  undriven_since: string | null;
}

const UNTOLD: Driven = { driven_by: null, undriven_since: null };

export function summaryOf(state: LoopState, driver: Driven = UNTOLD): LoopSummary {
  const { driven_by, undriven_since } = driver;
  const { waiting } = state;
  const counts = state.receipts?.at(-1)?.counts;
  const tasks = tasksOf(state);
  return {
    id: state.loop_id,
    revision: state.revision ?? 0,
    title: state.title.slice(0, TITLED),
    description: state.description.slice(0, DESCRIBED),
    tags: [...(state.tags ?? [])],
    repository: state.settings?.repository?.url ?? null,
    status: state.status,
    outcome: state.outcome?.code ?? null,
    health: undriven_since === null ? healthOf(state) : "undriven",
    driven_by,
    undriven_since,
    waiting: waiting
      ? {
          kind: waiting.kind,
          until: waiting.until,
          about: waiting.about,
          prompt: waiting.prompt?.slice(0, TITLED),
        }
      : null,
    action: state.action?.name ?? lastAction(state),
    iteration: state.current_iteration,
    max_iterations: state.max_iterations,
    tests: counts && counts.total > 0 ? { passed: counts.passed, failed: counts.failed } : null,
    tasks: {
      done: tasks.filter(({ status }) => status === "completed").length,
      total: tasks.length,
    },
    used: usedMost(state),
    created_at: state.created_at,
    updated_at: state.updated_at,
  };
}

/**
 * A stopped loop rests, for its operator ended it. One that waits for a usage limit runs, for it continues by itself.
 */
function healthOf(state: LoopState): Health {
  const { status, waiting, outcome } = state;
  if (status === "completed") return "done";
  if (status === "failed") return outcome?.code === "stopped_by_user" ? "resting" : "failed";
  if (status !== "running") return "resting";
  if (waiting?.kind === "no_progress" || stallLevelOf(state).level !== "none") return "stuck";
  return waiting === undefined || waiting.kind === "usage_limit" ? "running" : "waiting";
}

function lastAction({ skill_state }: LoopState): ActionName | null {
  return ActionName.safeParse(skill_state?.last_action).data ?? null;
}

function usedMost(state: LoopState): LoopSummary["used"] {
  const shares = boundsOf(state).map(({ name, used, bound }) => ({
    bound: name,
    share: Math.min(1, used / bound),
  }));
  return shares.reduce((most, one) => (one.share > most.share ? one : most));
}
