import type { Effect } from "../../model/effect.ts";
import { type Model, openedState } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import type { ConfirmState } from "../confirm/state.ts";
import type { Step } from "../screen.ts";

/** Asks before a rewind; undefined while the loop runs, which it would be refused for. */
export function rewindQuestion(
  id: string,
  to: number,
  model: Model,
): ((from: Model) => Step) | undefined {
  if (openedState(model)?.status === "running") return undefined;
  return (from) => ({ model: pushScreen(from, rewindConfirm(id, to)) });
}

function rewindConfirm(id: string, to: number): ConfirmState {
  return {
    kind: "confirm",
    question: `Rewind to checkpoint ${to}?`,
    details: [
      `What loop ${id} did, and its state, go back to what they were behind checkpoint ${to}.`,
      "Later actions stay in the timeline, but what they did is undone. What was used stays used.",
      "Files that changed from outside stay. It is refused for files that both changed. The loop is paused then.",
    ],
    verb: "rewind",
    yes: rewind(id, to, false),
  };
}

/** Asked when the service refused with `workspace_changed`. */
export function forceConfirm(id: string, to: number, reason: string): ConfirmState {
  return {
    kind: "confirm",
    question: `Rewind to checkpoint ${to} all the same?`,
    details: [
      reason,
      "The files as they are now are kept first; the notice that follows says where.",
    ],
    verb: "rewind",
    yes: rewind(id, to, true),
  };
}

function rewind(id: string, to: number, force: boolean): Effect[] {
  return [{ type: "call", call: { name: "rewind", id, to, force } }];
}

export function forkQuestion(id: string, n: number): (from: Model) => Step {
  return (from) => {
    const title = `${openedState(from)?.title ?? id} (fork at ${n})`;
    const confirm: ConfirmState = {
      kind: "confirm",
      question: `Fork at checkpoint ${n}?`,
      details: [
        `A new loop, "${title}", begins where this one stood, in a worktree and a branch of its own.`,
        "This loop and its files stay as they are. The new one is paused until you resume it.",
      ],
      verb: "fork",
      yes: [{ type: "call", call: { name: "fork", id, from: n, title } }],
    };
    return { model: pushScreen(from, confirm) };
  };
}
