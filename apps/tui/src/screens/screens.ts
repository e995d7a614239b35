import type { Model } from "../model/model.ts";
import type { NamedAction, Screen } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { answerScreen } from "./answer.tsx";
import { keysOf } from "./bindings.ts";
import { confirmScreen } from "./confirm.tsx";
import { createScreen } from "./create/create.tsx";
import { diffScreen } from "./diff.ts";
import { doctorScreen } from "./doctor.ts";
import { helpScreen } from "./help.ts";
import { homeScreen } from "./home/home.ts";
import { promptScreen } from "./input-line/prompt.tsx";
import { loopScreen } from "./loop/loop.tsx";
import { menuScreen } from "./menu.tsx";
import { paletteScreen } from "./palette.tsx";
import { quitScreen } from "./quit.tsx";
import { receiptScreen } from "./receipt.ts";
import { squareScreen } from "./square.ts";
import { tasksScreen } from "./tasks/tasks.tsx";
import { timelineScreen } from "./timeline.tsx";
import { whyScreen } from "./why.ts";

type Screens = { [K in ScreenState["kind"]]: Screen<Extract<ScreenState, { kind: K }>> };

const SCREENS: Screens = {
  answer: answerScreen,
  confirm: confirmScreen,
  create: createScreen,
  diff: diffScreen,
  doctor: doctorScreen,
  help: helpScreen((state, model) => screenOf(state).bindings(state, model)),
  home: homeScreen,
  loop: loopScreen,
  menu: menuScreen,
  palette: paletteScreen((state, model) => screenOf(state).bindings(state, model)),
  prompt: promptScreen,
  quit: quitScreen,
  receipt: receiptScreen,
  square: squareScreen,
  tasks: tasksScreen,
  timeline: timelineScreen,
  why: whyScreen,
};

/** The rules of a screen for its state. */
export function screenOf<S extends ScreenState>(state: S): Screen<S> {
  // One entry for each kind, which the compiler cannot follow through the index.
  return SCREENS[state.kind] as unknown as Screen<S>;
}

/** Whether the screen on top takes a character as text now. */
export function takesText(model: Model): boolean {
  const top = model.stack.at(-1);
  const step = top && screenOf(top).typed?.(top, { key: "?", text: "?" }, model);
  return step !== undefined && step.model !== model;
}

/** What this screen often offers, and not now; nothing while a field has its keys. */
export function idleActions(state: ScreenState, model: Model): readonly NamedAction[] {
  if ("searching" in state && state.searching) return [];
  const { usual = [], bindings } = screenOf(state);
  const taken = new Set(bindings(state, model).flatMap((binding) => keysOf(binding, model.keys)));
  return usual.filter((action) => !keysOf(action, model.keys).some((key) => taken.has(key)));
}
