import { LoopError, type LoopState, summaryOf } from "@ccw-loop/core";
import {
  type FollowedLoop,
  newFollowedLoop,
  withChanged,
  withEvents,
  withListed,
  withPast,
  worktreeOf,
} from "@ccw-loop/view";
import type { KeyPress } from "../keys/keys.ts";
import type { Answer } from "../model/effect.ts";
import { LONGEST } from "../model/field.ts";
import {
  asTyped,
  type Message,
  type Model,
  type Spot,
  toOpened,
  topScreen,
  withNotice,
} from "../model/model.ts";
import { withAsked, withoutAnswered } from "../model/pending.ts";
import type { Step } from "../model/screen.ts";
import { findBinding, GLOBAL_BINDINGS, keysOf } from "../screens/bindings.ts";
import { wantedPreview } from "../screens/home/list.ts";
import { withQuestion } from "../screens/loop/control.ts";
import { withLook } from "../screens/loop/driver.ts";
import { idleActions, screenOf } from "../screens/screens.ts";

/** What one message makes of the model, and what is to be done outside of it. Pure. */
export function update(model: Model, message: Message): Step {
  const heard = message.type === "answered" ? withoutAnswered(model, message.answer.call) : model;
  const { model: next, effects = [] } = stepOf(heard, withCommandsAsTyped(model, message));
  const asked = withAsked(next, effects);
  const follows = effects.findLast((effect) => effect.type === "follow");
  return { model: follows === undefined ? asked : following(asked, follows.id), effects };
}

/** What went wrong is told with the commands that can be typed here. */
function withCommandsAsTyped({ place }: Model, message: Message): Message {
  switch (message.type) {
    case "told":
      return {
        ...message,
        notice: { ...message.notice, text: asTyped(place, message.notice.text) },
      };
    case "answered": {
      const { answer } = message;
      if (answer.ok) return message;
      const { code, message: text, details } = answer.error;
      const error = new LoopError(code, asTyped(place, text), { cause: answer.error, details });
      return { ...message, answer: { ...answer, error } };
    }
    case "linked": {
      const { link } = message;
      if (link.state === "live") return message;
      return { ...message, link: { ...link, reason: asTyped(place, link.reason) } };
    }
    default:
      return message;
  }
}

function stepOf(model: Model, message: Message): Step {
  switch (message.type) {
    case "key":
      return pressed(quiet(model), message.press);
    case "pasted":
      return pasted(quiet(model), message.text);
    case "pointed":
      return pointed(quiet(model), message);
    case "resized":
      return { model: { ...model, size: message.size } };
    case "ticked":
      return previewing({ ...model, now: message.now });
    case "listed":
      return { model: { ...model, loops: withListed(model.loops, message) } };
    case "looked":
      return { model: withLook(model, message) };
    case "changed":
      return { model: changed(model, message) };
    case "opened":
      return { model: reopened(model, message.id, (opened) => withPast(opened, message)) };
    case "happened":
      return { model: reopened(model, message.id, (opened) => withEvents(opened, message)) };
    case "unopened":
      return {
        model: toOpened(model, message.id, (opened) => ({ ...opened, gone: message.reason })),
      };
    case "answered":
      return answered(model, message.answer);
    case "linked":
      return { model: linked(model, message.link) };
    case "driving":
      return { model: { ...model, driven: new Set(message.ids) } };
    case "told":
      return { model: { ...model, notice: message.notice } };
  }
}

/** Follows the loop that is to be seen beside the list; not at every move, only at the next tick. */
function previewing(model: Model): Step {
  const top = topScreen(model);
  if (top.kind !== "home" || !model.previews) return { model };
  const id = wantedPreview(top, model);
  if (id === (model.opened?.id ?? null)) return { model };
  return { model, effects: [{ type: "follow", id }] };
}

/** A key on the screen that has the keys; what no screen wants may have a meaning everywhere. */
function pressed(model: Model, press: KeyPress): Step {
  const top = topScreen(model);
  const binding = findBinding(screenOf(top).bindings(top, model), press.key, model.keys);
  if (binding) return binding.run(model, press);
  const global = findBinding(GLOBAL_BINDINGS, press.key, model.keys);
  // A field takes whatever types something; else nobody could write a question mark.
  if (global && press.text === "") return global.run(model, press);
  const idle = idleActions(top, model).find((action) =>
    keysOf(action, model.keys).includes(press.key),
  );
  if (idle) {
    return { model: withNotice(model, `There is nothing to ${idle.label} now.`, "quiet") };
  }
  const taken = typed(model, press) ?? global?.run(model, press);
  if (taken) return taken;
  // Where it begins no line, a line feed is the other Enter.
  return press.key === "ctrl+j" ? pressed(model, { key: "enter", text: "" }) : { model };
}

/** Lines that one notch of the wheel moves. */
const NOTCH = 3;

/** A click selects; the wheel moves what is below it, or else what the arrows move. */
function pointed(model: Model, { kind, spot }: Extract<Message, { type: "pointed" }>): Step {
  const { clicked } = screenOf(topScreen(model));
  if (kind === "click") return spot && clicked ? clicked(topScreen(model), spot, model) : { model };
  let moved = model;
  for (let i = 0; i < NOTCH; i++) moved = wheeled(moved, kind, spot).model;
  return { model: moved };
}

function wheeled(model: Model, move: "up" | "down", spot: Spot | undefined): Step {
  const top = topScreen(model);
  const screen = screenOf(top);
  if (spot && screen.wheeled) return screen.wheeled(top, spot, move, model);
  const binding = screen.bindings(top, model).find(({ id }) => id === `${top.kind}.${move}`);
  return binding?.run(model, { key: move, text: "" }) ?? { model };
}

/** Undefined when the screen takes no text now. */
function typed(model: Model, press: KeyPress): Step | undefined {
  const top = topScreen(model);
  const step = screenOf(top).typed?.(top, press, model);
  const taken = step && (step.model !== model || (step.effects ?? []).length > 0);
  return taken ? step : undefined;
}

/** Who pastes more than a field takes is told: the end of it is far from the cursor. */
function pasted(model: Model, text: string): Step {
  const step = typed(model, { key: "paste", text }) ?? { model };
  if (step.model === model || text.length <= LONGEST) return step;
  const words = `A field takes ${LONGEST} characters; what was pasted beyond that is left out.`;
  return { ...step, model: withNotice(step.model, words, "warning") };
}

/** What was said of the last key goes with the next one. */
function quiet(model: Model): Model {
  return model.notice === null ? model : { ...model, notice: null };
}

function changed(before: Model, { changes }: Extract<Message, { type: "changed" }>): Model {
  const model = { ...before, loops: withChanged(before.loops, changes) };
  const { id } = model.opened ?? {};
  if (id === undefined || changes.findLast((change) => change.id === id)?.summary !== null) {
    return model;
  }
  return toOpened(model, id, (opened) => ({ ...opened, gone: "It was deleted." }));
}

/** What a loop asks is shown to whom looks at it. */
function reopened(model: Model, id: string, change: (opened: FollowedLoop) => FollowedLoop): Model {
  return withQuestion(model, toOpened(model, id, change));
}

function following(model: Model, id: string | null): Model {
  if (model.opened?.id === id) return model;
  if (id === null) return { ...model, opened: null };
  const since = model.loops.rows.get(id)?.undrivenSince ?? null;
  const driver = since === null ? undefined : { driven_by: null, undriven_since: since };
  return { ...model, opened: { ...newFollowedLoop(id), driver } };
}

function linked(model: Model, link: Model["link"]): Model {
  const back = model.link.state === "lost" && link.state === "live";
  const next = { ...model, link };
  return back ? withNotice(next, `Connected again to ${model.place.name}.`, "good") : next;
}

/** What came of a call: the topmost screen that knows it says what it means; else it is told in one line. */
export function answered(before: Model, answer: Answer): Step {
  const model = { ...before, loops: loopsAfter(before, answer) };
  for (const state of model.stack.toReversed()) {
    const step = screenOf(state).answered?.(state, answer, model);
    if (step) return step;
  }
  if (!answer.ok) return { model: withNotice(model, answer.error.message, "bad") };
  const words = wordsFor(answer);
  return { model: words === undefined ? model : withNotice(model, words, "good") };
}

/** The list need not wait to hear of it. */
function loopsAfter({ loops }: Model, answer: Answer): Model["loops"] {
  if (!answer.ok) return loops;
  if (answer.name === "delete") return withChanged(loops, [{ id: answer.call.id, summary: null }]);
  const state = stateIn(answer);
  if (!state) return loops;
  return withChanged(loops, [{ id: state.loop_id, summary: summaryOf(state) }]);
}

function stateIn(answer: Answer & { ok: true }): LoopState | undefined {
  switch (answer.name) {
    case "create":
    case "send":
    case "fork":
      return answer.value;
    case "rewind":
      return answer.value.state;
    default:
      return undefined;
  }
}

function wordsFor(answer: Answer & { ok: true }): string | undefined {
  switch (answer.name) {
    case "delete":
      return `Loop ${answer.call.id} is deleted.`;
    case "copy":
      return "Copied, where this terminal lets programs write its clipboard.";
    case "save":
      return `Saved as ${answer.value}.`;
    case "rewind":
      return `Loop ${answer.call.id} is back at checkpoint ${answer.call.to}, paused.`;
    case "fork":
      return forkedText(answer.value);
    default:
      return undefined;
  }
}

function forkedText(state: LoopState): string {
  const { path } = worktreeOf(state) ?? {};
  const place = path === undefined ? "" : ` It works in ${path}.`;
  return `Loop ${state.loop_id}, "${state.title}", is made.${place}`;
}
