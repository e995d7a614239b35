import { answerScreen } from "./answer/answer.ts";
import type { AnswerState } from "./answer/state.ts";
import { confirmScreen } from "./confirm/confirm.ts";
import type { ConfirmState } from "./confirm/state.ts";
import { createScreen } from "./create/create.ts";
import type { CreateState } from "./create/state.ts";
import { diffScreen } from "./diff/diff.ts";
import type { DiffState } from "./diff/state.ts";
import { doctorScreen } from "./doctor/doctor.ts";
import type { DoctorState } from "./doctor/state.ts";
import { helpScreen } from "./help/help.ts";
import type { HelpState } from "./help/state.ts";
import { homeScreen } from "./home/home.ts";
import type { HomeState } from "./home/state.ts";
import { loopScreen } from "./loop/loop.ts";
import type { LoopScreenState } from "./loop/state.ts";
import { menuScreen } from "./menu/menu.ts";
import type { MenuState } from "./menu/state.ts";
import { promptScreen } from "./prompt/prompt.ts";
import type { PromptState } from "./prompt/state.ts";
import { quitScreen } from "./quit/quit.ts";
import type { QuitState } from "./quit/state.ts";
import { receiptScreen } from "./receipt/receipt.ts";
import type { ReceiptState } from "./receipt/state.ts";
import type { Screen } from "./screen.ts";
import type { SteerState } from "./steer/state.ts";
import { steerScreen } from "./steer/steer.ts";
import type { TasksState } from "./tasks/state.ts";
import { tasksScreen } from "./tasks/tasks.ts";
import type { TimelineState } from "./timeline/state.ts";
import { timelineScreen } from "./timeline/timeline.ts";
import type { WhyState } from "./why/state.ts";
import { whyScreen } from "./why/why.ts";

/** The state of any screen. */
export type ScreenState =
  | AnswerState
  | ConfirmState
  | CreateState
  | DiffState
  | DoctorState
  | HelpState
  | HomeState
  | LoopScreenState
  | MenuState
  | PromptState
  | QuitState
  | ReceiptState
  | SteerState
  | TasksState
  | TimelineState
  | WhyState;

type Screens = { [K in ScreenState["kind"]]: Screen<Extract<ScreenState, { kind: K }>> };

const SCREENS: Screens = {
  answer: answerScreen,
  confirm: confirmScreen,
  create: createScreen,
  diff: diffScreen,
  doctor: doctorScreen,
  help: helpScreen,
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
