import type { Screen } from "../model/screen.ts";
import type { ScreenState } from "../model/screen-states.ts";
import { answerScreen } from "./answer.tsx";
import { confirmScreen } from "./confirm.tsx";
import { createScreen } from "./create/create.tsx";
import { diffScreen } from "./diff.ts";
import { doctorScreen } from "./doctor.ts";
import { helpScreen } from "./help.ts";
import { homeScreen } from "./home/home.ts";
import { loopScreen } from "./loop/loop.tsx";
import { menuScreen } from "./menu.tsx";
import { promptScreen } from "./prompt/prompt.tsx";
import { quitScreen } from "./quit.tsx";
import { receiptScreen } from "./receipt.ts";
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
  prompt: promptScreen,
  quit: quitScreen,
  receipt: receiptScreen,
  tasks: tasksScreen,
  timeline: timelineScreen,
  why: whyScreen,
};

/** The rules of a screen for its state. */
export function screenOf<S extends ScreenState>(state: S): Screen<S> {
  // One entry for each kind, which the compiler cannot follow through the index.
  return SCREENS[state.kind] as unknown as Screen<S>;
}
