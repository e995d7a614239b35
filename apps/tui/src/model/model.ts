import type { LoopState, NewLoop } from "@ccw-loop/core";
import type { Progress, Tone } from "@ccw-loop/view";
import type { Size } from "../frame/line.ts";
import type { KeyMap } from "../keys/key-map.ts";
import type { AgentLog } from "./agent-log.ts";
import type { Row } from "./row.ts";
import type { ScreenState } from "./screen-states.ts";

/** Where the loops are, and what can be done with them from here. */
export interface Place {
  /** The folder or the URL, for people. */
  name: string;
  /** Loops that are started here are driven by this process; elsewhere their server does it. */
  drives: boolean;
  /** What a new loop begins with unless its form says otherwise; nothing where the server decides. */
  defaults?: Pick<NewLoop, "max_iterations" | "limits" | "settings">;
  /** How a command about these loops begins in a shell, such as `npx ccw-loop`; plain `ccw-loop` by default. */
  program?: string;
}

/** A command about the loops of a place, as it is typed in a shell. */
export function shellCommand({ program = "ccw-loop" }: Place, words: string): string {
  return `${program} ${words}`;
}

/** Whether what is shown is still up to date. `since` in epoch ms. */
export type ConnectionState = { state: "live" } | { state: "lost"; since: number; reason: string };

/** One line for the person: what came of the last key. It goes with the next one. */
export interface Notice {
  tone: Tone;
  text: string;
}

/** The loops of the place, as summaries. */
export interface Loops {
  rows: ReadonlyMap<string, Row>;
  /** How many there are in all; more than `rows` while they are still read. */
  total: number;
  /** Those that cannot be read. */
  damaged: readonly { id: string; reason: string }[];
  complete: boolean;
}

/** The loop that is followed. Null progress: it is still read. */
export interface FollowedLoop {
  id: string;
  progress: Progress | null;
  log: AgentLog;
  /** Share of passed tests (0 to 1) and covered lines (0 to 100) of every test run, oldest first. */
  passRates: readonly number[];
  coverage: readonly number[];
  /** It was deleted, or cannot be read. */
  gone: string | null;
}

/** Everything that is on the screen comes from here, and nothing else. Immutable. */
export interface Model {
  readonly size: Size;
  /** Epoch ms; ticks every second. */
  readonly now: number;
  readonly place: Place;
  readonly link: ConnectionState;
  readonly notice: Notice | null;
  readonly loops: Loops;
  readonly opened: FollowedLoop | null;
  /** Home at the bottom; the last one has the keys. Never empty. */
  readonly stack: readonly ScreenState[];
  /** Loops that this process drives now. */
  readonly driven: ReadonlySet<string>;
  readonly keys: KeyMap;
}

/** The state of the followed loop, once it is read. */
export function openedState({ opened }: Model): LoopState | undefined {
  return opened?.progress?.state;
}
