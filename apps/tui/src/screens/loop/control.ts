import { type LoopCommand, type LoopState, menuOf, recommendedChoice } from "@ccw-loop/core";
import {
  accepts,
  asksPerson,
  COMMAND_WORDS,
  reopening,
  statusSummary,
  turnRuns,
} from "@ccw-loop/view";
import { type Answer, calling, type Effect, sending } from "../../model/effect.ts";
import { emptyText } from "../../model/field.ts";
import {
  type Model,
  openedState,
  popScreen,
  pushScreen,
  topScreen,
  withNotice,
} from "../../model/model.ts";
import type { Binding, Step } from "../../model/screen.ts";
import {
  type AnswerState,
  type LoopScreenState,
  type MenuState,
  promptFor,
} from "../../model/screen-states.ts";
import { asking, opening } from "../bindings.ts";
import { reopenConfirmation, stopConfirmation } from "../confirm.tsx";
import { isKnownUndriven, withDriver } from "./driver.ts";

/** What may be asked of the loop as it stands: a command that it would refuse has no key. */
export function controlBindings(state: LoopState, model: Model): readonly Binding[] {
  const { loop_id: id } = state;
  const all: (Binding | false)[] = [
    asksPerson(state) && {
      id: "loop.answer",
      label: state.waiting?.menu ? "menu" : "answer",
      run: opening(questionOf(state)),
    },
    retries(state) && { id: "loop.retry", label: "retry now", run: asking(sending(id, RETRY)) },
    !retries(state) &&
      mayBeDriven(state, model) && {
        id: state.status === "created" ? "loop.start" : "loop.drive",
        label: state.status === "created" ? "start" : "drive here",
        run: asking({ type: "drive", id }, calling({ name: "why", id })),
      },
    pauseBinding(id, state),
    turnRuns(state) &&
      !isKnownUndriven(model) && {
        id: "loop.steer",
        label: "steer",
        run: opening(promptFor({ name: "steer", id })),
      },
    accepts(state, { type: "stop" }) && {
      id: "loop.stop",
      label: "stop",
      run: opening(stopConfirmation({ id, title: state.title })),
    },
  ];
  return all.filter((binding) => binding !== false);
}

const RETRY: LoopCommand = { type: "resume", now: true };

/** Of a loop that rests the same command is no more than a resume. */
function retries(state: LoopState): boolean {
  return state.status === "running" && accepts(state, RETRY);
}

/** Pause and its opposite are on one key. */
function pauseBinding(id: string, state: LoopState): Binding | false {
  const binding = (label: string, run: Binding["run"]): Binding => {
    return { id: "loop.pause", label, run };
  };
  if (accepts(state, { type: "pause" })) {
    return binding("pause", asking(sending(id, { type: "pause" })));
  }
  if (accepts(state, { type: "resume" })) {
    return binding("resume", asking({ type: "drive", id }, calling({ name: "why", id })));
  }
  return accepts(state, reopening(state)) && binding("reopen", opening(reopenConfirmation(state)));
}

/** A loop that was not begun; here also one that runs and that nobody is known to drive. */
function mayBeDriven(
  { status, loop_id, waiting }: LoopState,
  { opened, place, driven }: Model,
): boolean {
  if (status === "created") return true;
  const alone = opened?.driver?.driven_by === null && !driven.has(loop_id);
  return (
    status === "running" && place.drives && alone && (!waiting || waiting.kind === "usage_limit")
  );
}

/** What came of a command, and who drives the loop. */
export function answered(screen: LoopScreenState, answer: Answer, model: Model): Step | undefined {
  if (answer.name === "why" && answer.call.id === screen.id) {
    return { model: answer.ok ? withDriver(model, screen.id, answer.value) : model };
  }
  if (answer.name !== "send" || answer.call.id !== screen.id) return undefined;
  return commandResult(answer, model);
}

/** Says how the loop stands behind a command, and goes on with it where that was asked for. */
export function commandResult(answer: Answer & { name: "send" }, model: Model): Step {
  const { id, command } = answer.call;
  if (!answer.ok) return { model: withNotice(model, answer.error.message, "bad") };
  const words = `${COMMAND_WORDS[command.type] ?? "Done"}: the loop is ${statusSummary(answer.value, new Date(model.now))}.`;
  // No process drives a loop that waits: it has to be driven again.
  const resumes = ["resume", "choose", "answer"].includes(command.type);
  const drive: Effect[] = resumes ? [{ type: "drive", id }] : [];
  return {
    model: withNotice(model, words, "good"),
    effects: [...drive, calling({ name: "why", id })],
  };
}

/** The screen that answers what the loop waits with. */
function questionOf(state: LoopState): MenuState | AnswerState {
  const { loop_id: id, waiting } = state;
  const since = waiting?.since ?? "";
  if (waiting?.menu) {
    const selected = menuOf(state).options.findIndex(({ key }) => key === recommendedChoice(state));
    return { kind: "menu", id, since, selected, notice: null, busy: false };
  }
  return {
    kind: "answer",
    id,
    since,
    selected: null,
    option: null,
    field: emptyText,
    scroll: 0,
    busy: false,
  };
}

/**
 * Shows a new question of the loop that is looked at, unless something else has the keys; takes one away that was
 * answered elsewhere.
 */
export function withQuestion(before: Model, after: Model): Model {
  const model = withoutAnswered(after);
  const state = openedState(model);
  if (!state || !asksPerson(state)) return model;
  const known = openedState(before)?.waiting?.since === state.waiting?.since;
  const top = topScreen(model);
  const looksAtIt = top.kind === "loop" && top.id === state.loop_id && !top.searching;
  return looksAtIt && !known ? pushScreen(model, questionOf(state)) : model;
}

function withoutAnswered(model: Model): Model {
  const top = topScreen(model);
  const state = openedState(model);
  if (!state || (top.kind !== "menu" && top.kind !== "answer") || top.busy) return model;
  if (asksPerson(state) && state.waiting?.since === top.since) return model;
  return withNotice(
    popScreen(model),
    "The question is gone: it was answered, or the loop stopped.",
    "warning",
  );
}
