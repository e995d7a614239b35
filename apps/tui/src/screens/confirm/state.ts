import type { Effect } from "../../model/effect.ts";

/** Asks before something that cannot be taken back. */
export interface ConfirmState {
  kind: "confirm";
  question: string;
  /** What would happen, line by line. */
  details: readonly string[];
  /** What `y` is called, such as `rewind`. */
  verb: string;
  yes: readonly Effect[];
  /** With a yes the screen below closes as well. */
  closes?: boolean;
}
