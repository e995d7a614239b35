import type { ScreenState } from "../screens.ts";

/** Every key of the screen below it. */
export interface HelpState {
  kind: "help";
  of: ScreenState["kind"];
  scroll: number;
}
