import type { ScreenState } from "../../model/screen-states.ts";

/** Every key of the screen below it. */
export interface HelpState {
  kind: "help";
  of: ScreenState["kind"];
  scroll: number;
}
