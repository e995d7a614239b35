import type { ScreenState } from "../model/screen-states.ts";
import { answerScreen } from "./answer/answer.ts";
import { confirmScreen } from "./confirm/confirm.ts";
import { createScreen } from "./create/create.ts";
import { diffScreen } from "./diff/diff.ts";
import { doctorScreen } from "./doctor/doctor.ts";
import { helpScreen } from "./help/help.ts";
import { homeScreen } from "./home/home.ts";
import { loopScreen } from "./loop/loop.ts";
import { menuScreen } from "./menu/menu.ts";
import { promptScreen } from "./prompt/prompt.ts";
import { quitScreen } from "./quit/quit.ts";
import { receiptScreen } from "./receipt/receipt.ts";
import type { Screen } from "./screen.ts";
import { steerScreen } from "./steer/steer.ts";
import { tasksScreen } from "./tasks/tasks.ts";
import { timelineScreen } from "./timeline/timeline.ts";
import { whyScreen } from "./why/why.ts";

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
  steer: steerScreen,
  tasks: tasksScreen,
  timeline: timelineScreen,
  why: whyScreen,
};

/** The rules of a screen for its state. */
export function screenOf<S extends ScreenState>(state: S): Screen<S> {
  // One entry for each kind, which the compiler cannot follow through the index.
  return SCREENS[state.kind] as unknown as Screen<S>;
}
