import type { LiveEvent, LoopState } from "@ccw-loop/core";
import type { Progress } from "@ccw-loop/view";
import type { Size } from "../frame/line.ts";
import type { KeyPress } from "../keys/key-press.ts";
import type { Answer } from "./calls.ts";
import type { ConnectionState, Notice } from "./model.ts";

/** Everything that can happen to the model. */
export type Message =
  | { type: "key"; press: KeyPress }
  | { type: "pasted"; text: string }
  | { type: "resized"; size: Size }
  | { type: "ticked"; now: number }
  /** Loops as they were read; `complete` when no more will come of this reading. */
  | {
      type: "listed";
      states: readonly LoopState[];
      total: number;
      damaged: readonly { id: string; reason: string }[];
      complete: boolean;
      /** Every loop that a whole reading found: others are gone. */
      ids?: ReadonlySet<string>;
    }
  /** The loops that nobody drives although they are to be driven, by since when (RFC 3339). */
  | { type: "undriven"; since: ReadonlyMap<string, string> }
  /** A loop changed, or (null) is gone. */
  | { type: "changed"; id: string; state: LoopState | null }
  | { type: "opened"; id: string; progress: Progress; passRates: number[]; coverage: number[] }
  /** Facts and activity of the followed loop, at most ten times a second; `leftOut` records of activity were too many. */
  | { type: "happened"; id: string; events: readonly LiveEvent[]; leftOut: number }
  | { type: "unopened"; id: string; reason: string }
  | { type: "answered"; answer: Answer }
  | { type: "linked"; link: ConnectionState }
  | { type: "driving"; ids: readonly string[] }
  | { type: "told"; notice: Notice };
