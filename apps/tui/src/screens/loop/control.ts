import type { LoopCommand, LoopState } from "@ccw-loop/core";
import type { Effect } from "../../model/effect.ts";
import { emptyField } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { pushScreen } from "../../model/stack.ts";
import { stopConfirmation } from "../confirm/stopping.ts";
import type { Binding, Step } from "../screen.ts";
import { accepts, asksPerson, turnRuns } from "./accepts.ts";
import { isKnownUndriven } from "./driver.ts";
import { questionOf } from "./question.ts";
import type { LoopScreenState } from "./state.ts";

/** What may be asked of the loop as it stands: a command that it would refuse has no key. */
export function controlBindings(
  screen: LoopScreenState,
  state: LoopState,
  model: Model,
): readonly Binding[] {
  const { id } = screen;
  const all: (Binding | false)[] = [
    asksPerson(state) && {
      id: "loop.answer",
      keys: ["a"],
      label: state.waiting?.menu ? "menu" : "answer",
      run: (from) => ({ model: pushScreen(from, questionOf(state)) }),
    },
    // Of a loop that rests the same command is no more than a resume.
    state.status === "running" &&
      accepts(state, RETRY) && {
        id: "loop.retry",
        keys: ["r"],
        label: "retry now",
        run: (from) => send(from, id, RETRY),
      },
    mayBeDriven(screen, state, model) && {
      id: "loop.start",
      keys: ["s"],
      label: state.status === "created" ? "start" : "drive here",
      run: (from) => ({ model: from, effects: [{ type: "drive", id }, askWhy(id)] }),
    },
    pauseBinding(id, state),
    turnRuns(state) &&
      !isKnownUndriven(screen, model) && {
        id: "loop.steer",
        keys: ["i"],
        label: "steer",
        run: (from) => ({
          model: pushScreen(from, {
            kind: "steer",
            id,
            field: emptyField,
            busy: false,
            refused: null,
          }),
        }),
      },
    accepts(state, { type: "stop" }) && {
      id: "loop.stop",
      keys: ["x"],
      label: "stop",
      run: (from) => ({ model: pushScreen(from, stopConfirmation({ id, title: state.title })) }),
    },
  ];
  return all.filter((binding) => binding !== false);
}

const RETRY: LoopCommand = { type: "resume", now: true };
const REOPEN: LoopCommand = { type: "resume", reopen: true };

/** Pause and its opposite are on one key. */
function pauseBinding(id: string, state: LoopState): Binding | false {
  const binding = { id: "loop.pause", keys: ["p"] };
  if (accepts(state, { type: "pause" })) {
    return { ...binding, label: "pause", run: (from) => send(from, id, { type: "pause" }) };
  }
  if (accepts(state, { type: "resume" })) {
    const effects: Effect[] = [{ type: "drive", id }, askWhy(id)];
    return { ...binding, label: "resume", run: (from) => ({ model: from, effects }) };
  }
  const reopens = accepts(state, REOPEN);
  return reopens && { ...binding, label: "reopen", run: (from) => send(from, id, REOPEN) };
}

/** A loop that was not begun; here also one that runs and that nobody is known to drive. */
function mayBeDriven(
  { driver }: LoopScreenState,
  { status, loop_id, waiting }: LoopState,
  { place, driven }: Model,
): boolean {
  if (status === "created") return true;
  const alone = driver?.driven_by === null && !driven.has(loop_id);
  return (
    status === "running" && place.drives && alone && (!waiting || waiting.kind === "usage_limit")
  );
}

function send(model: Model, id: string, command: LoopCommand): Step {
  return { model, effects: [{ type: "call", call: { name: "send", id, command } }] };
}

function askWhy(id: string): Effect {
  return { type: "call", call: { name: "why", id } };
}
