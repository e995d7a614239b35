import type { AnswerState } from "../screens/answer/state.ts";
import type { ConfirmState } from "../screens/confirm/state.ts";
import type { CreateState } from "../screens/create/state.ts";
import type { DiffState } from "../screens/diff/state.ts";
import type { DoctorState } from "../screens/doctor/state.ts";
import type { HelpState } from "../screens/help/state.ts";
import type { HomeState } from "../screens/home/state.ts";
import type { LoopScreenState } from "../screens/loop/state.ts";
import type { MenuState } from "../screens/menu/state.ts";
import type { PromptState } from "../screens/prompt/state.ts";
import type { QuitState } from "../screens/quit/state.ts";
import type { ReceiptState } from "../screens/receipt/state.ts";
import type { SteerState } from "../screens/steer/state.ts";
import type { TasksState } from "../screens/tasks/state.ts";
import type { TimelineState } from "../screens/timeline/state.ts";
import type { WhyState } from "../screens/why/state.ts";

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
