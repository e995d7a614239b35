import {
  decide,
  dollars,
  isLoopError,
  type LoopCommand,
  type LoopState,
  type Rewound,
  raisedBounds,
  type Waiting,
} from "@ccw-loop/core";
import { formatDuration } from "../text/amounts.ts";

/** Why a command would be refused now; null when it would not. The rules are those of the loop itself. */
export function refusalOf(state: LoopState, command: LoopCommand): string | null {
  try {
    decide(state, command, state.updated_at);
    return null;
  } catch (error) {
    if (isLoopError(error)) return error.message;
    throw error;
  }
}

export function accepts(state: LoopState, command: LoopCommand): boolean {
  return refusalOf(state, command) === null;
}

/** It stands at a question for a person. */
export function asksPerson({ status, waiting }: LoopState): boolean {
  return status === "running" && waiting !== undefined && waiting.kind !== "usage_limit";
}

export function turnRuns({ status, waiting, action }: LoopState): boolean {
  const isAgents = action !== undefined && ["INIT", "DEVELOP", "DEBUG"].includes(action.name);
  return status === "running" && !waiting && isAgents && action.interrupted === null;
}

export const COMMAND_WORDS: Readonly<Partial<Record<LoopCommand["type"], string>>> = {
  start: "Started",
  pause: "Paused",
  resume: "Resumed",
  stop: "Stopped",
  exit: "Exited",
  edit: "Changed",
  choose: "Chosen",
  answer: "Answered",
};

export const STOP_EFFECTS = [
  "A running turn ends at once, with every process that it started.",
  "The loop ends as failed (stopped_by_user). Its files stay, and it can be reopened.",
];

export const CONTROL_EFFECTS = {
  start: [
    "The project's tests are run as they are, then the agent plans and works.",
    "The loop goes on until the work is proven, a bound is reached, or it needs you.",
  ],
  pause: [
    "A running turn or test run ends at once, with every process that it started.",
    "Nothing that was recorded is lost. The action that is cut off begins again when the loop is resumed.",
  ],
  resume: ["The loop goes on with the action that is next. What was done stays done."],
  reopen: ["The loop goes on although it had ended. Its bounds count on from where they are."],
  retry: ["The agent is asked again at once, although its usage limit may still stand."],
  stop: STOP_EFFECTS,
  steer: [
    "The agent reads it in the middle of its turn. It changes no task and no rule of the proof.",
  ],
} as const;

/** Takes an ended loop up again, with the bounds raised that would end it at once. */
export function reopening(state: LoopState): LoopCommand {
  const changes = raisedBounds(state);
  const isRaised = Object.keys(changes).length > 0;
  return { type: "resume", reopen: true, ...(isRaised ? { changes } : {}) };
}

export function reopenEffects(state: LoopState): string[] {
  const { max_iterations, limits = {} } = raisedBounds(state);
  const raised = [
    ["iterations", max_iterations?.toLocaleString("en")],
    ["time", limits.max_duration_ms && formatDuration(limits.max_duration_ms)],
    ["turns", limits.max_turns?.toLocaleString("en")],
    ["tokens", limits.max_tokens?.toLocaleString("en")],
    ["cost", limits.max_cost_usd && dollars(limits.max_cost_usd)],
  ].flatMap(([name, to]) => (to === undefined ? [] : [`${name} to ${to}`]));
  const bounds = raised.length === 0 ? [] : [`Its bounds are raised: ${raised.join(", ")}.`];
  return [...CONTROL_EFFECTS.reopen, ...bounds];
}

export function rewindEffects(id: string, to: number): string[] {
  return [
    `What loop ${id} did, and its state, go back to what they were behind checkpoint ${to}.`,
    "Later actions stay in the timeline, but what they did is undone. What was used stays used.",
    "Files that changed from outside stay. It is refused for files that both changed. The loop is paused then.",
  ];
}

export function rewoundText({ kept, left }: Rewound, to: number): string {
  const restore = kept && `git restore --source=${kept.slice(0, 12)} -- PATH`;
  const stay = left.length > 0 ? ` ${left.length} changed from outside stay as they are.` : "";
  const where = restore ? `${stay} Files as they were before: ${restore}` : stay;
  return `Rewound to checkpoint ${to}; the loop is paused.${where}`;
}

export function forkEffects(title: string): string[] {
  return [
    `A new loop, "${title}", begins where this one stood, in a worktree and a branch of its own.`,
    "This loop and its files stay as they are. The new one is paused until you resume it.",
  ];
}

/** A heading for what a loop waits with. */
export function questionTitle({ about, kind }: Waiting): string {
  if (about === "tests") return "How is it tested?";
  if (about === "objections" || about === "review") return "Does it count as done?";
  if (kind === "no_progress") return "No progress: what to do differently?";
  return kind === "approval" ? "May it?" : "The loop asks";
}

/** An answer that is offered, with what it comes to. */
export function answerText(option: string, { about }: Waiting): string {
  const isOfProof = about === "objections" || about === "review" || about === "tests";
  const meaning = isOfProof ? MEANINGS[option] : undefined;
  return meaning === undefined ? option : `${option}: ${meaning}`;
}

/** What has to be typed for an option; undefined where it is an answer by itself. */
export function textFor(option: string, { about }: Waiting): string | undefined {
  return about === "tests" ? TEXTS[option] : undefined;
}

const TEXTS: Readonly<Record<string, string>> = {
  verify: "Command, such as npm test",
  waive_tests: "Why there is nothing to test",
};

/** The answer that an option is, with the text that was typed where it needs one; without an option the text alone. */
export function answerOf(
  waiting: Waiting,
  option: string | undefined,
  text: string,
): Extract<LoopCommand, { type: "answer" }> {
  if (option === undefined) return { type: "answer", text };
  if (textFor(option, waiting) === undefined) return { type: "answer", text: option };
  return { type: "answer", option, text };
}

/** What answers to objections, and ways to test, come to. */
const MEANINGS: Readonly<Record<string, string>> = {
  verify: "a command runs the tests",
  waive_tests: "continue without tests, and say why",
  accept: "it counts as done, and who accepted is recorded",
  reject: "a new task has it put right",
  again: "it is reviewed now",
};
