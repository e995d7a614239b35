import type { LoopState, NewLoop } from "@ccw-loop/core";
import type {
  AgentChoice,
  FollowedLoop,
  FollowedMessage,
  Loops,
  LoopsMessage,
  Tone,
} from "@ccw-loop/view";
import type { Size } from "../components/line.ts";
import type { KeyMap, KeyPress } from "../keys/keys.ts";
import type { Mouse } from "../keys/mouse.ts";
import type { Answer, Call } from "./effect.ts";
import type { ScreenState } from "./screen-states.ts";

/** Where the loops are, and what can be done with them from here. */
export interface Place {
  /** The folder or the URL, for people. */
  name: string;
  /** Loops that are started here are driven by this process; elsewhere their server does it. */
  drives: boolean;
  /** What a new loop begins with unless its form says otherwise; nothing where the server decides. */
  defaults?: Pick<NewLoop, "max_iterations" | "limits" | "settings">;
  /** The agents that a new loop may have; without them the server says which there are. */
  agents?: readonly AgentChoice[];
  /** Makes the commands in a text, such as `ccw-loop resume ID`, ready to be typed in a shell; as they are by default. */
  asTyped?: (text: string) => string;
}

/** A text with its commands about the loops of a place as they are typed in a shell. */
export function asTyped({ asTyped = (text) => text }: Place, text: string): string {
  return asTyped(text);
}

/** A command about the loops of a place, as it is typed in a shell. */
export function shellCommand(place: Place, words: string): string {
  return asTyped(place, `ccw-loop ${words}`);
}

/** Whether what is shown is still up to date. `since` in epoch ms. */
export type ConnectionState = { state: "live" } | { state: "lost"; since: number; reason: string };

/** One line for the person: what came of the last key. It goes with the next one. */
export interface Notice {
  tone: Tone;
  text: string;
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
  /** What was asked for and takes its time. */
  readonly pending: readonly Pending[];
  /** The selected loop of a wide home is followed, to be shown beside the list. */
  readonly previews: boolean;
}

/** A call whose answer is waited for; `since` in epoch ms. */
export interface Pending {
  call: Call;
  since: number;
}

/** While nothing is heard of the loops, their clocks show when something was heard last. */
export function withStoppedClock(model: Model): Model {
  const { link, now } = model;
  return link.state === "live" ? model : { ...model, now: Math.min(now, link.since) };
}

/** The state of the followed loop, once it is read. */
export function openedState({ opened }: Model): LoopState | undefined {
  return opened?.progress?.state;
}

/** With a change of the followed loop; unchanged while another one is followed. */
export function toOpened(
  model: Model,
  id: string,
  change: (opened: FollowedLoop) => FollowedLoop,
): Model {
  return model.opened?.id === id ? { ...model, opened: change(model.opened) } : model;
}

/** What a mouse points at: a part of the screen by its name, and the index of what is in that row of it. */
export interface Spot {
  name: string;
  index: number;
}

/** Everything that can happen to the model. */
export type Message =
  | { type: "key"; press: KeyPress }
  | { type: "pasted"; text: string }
  | { type: "pointed"; kind: Mouse["kind"]; spot: Spot | undefined }
  | { type: "resized"; size: Size }
  | { type: "ticked"; now: number }
  | LoopsMessage
  | FollowedMessage
  | { type: "answered"; answer: Answer }
  | { type: "linked"; link: ConnectionState }
  | { type: "driving"; ids: readonly string[] }
  | { type: "told"; notice: Notice };

/** The screen that has the keys. */
export function topScreen({ stack }: Model): ScreenState {
  const top = stack.at(-1);
  if (top === undefined) throw new TypeError("There is no screen.");
  return top;
}

export function pushScreen(model: Model, screen: ScreenState): Model {
  return { ...model, stack: [...model.stack, screen] };
}

/** Without its top screen; home stays. */
export function popScreen(model: Model): Model {
  return model.stack.length === 1 ? model : { ...model, stack: model.stack.slice(0, -1) };
}

/** Without the screen of that kind that is nearest to the top, wherever it is; home stays. */
export function withoutScreen(model: Model, kind: ScreenState["kind"]): Model {
  const at = model.stack.findLastIndex((screen) => screen.kind === kind);
  return at < 1 ? model : { ...model, stack: model.stack.toSpliced(at, 1) };
}

/** With another state of the same kind in the place of the one that is nearest to the top; unchanged without one. */
export function replaceScreen(model: Model, screen: ScreenState): Model {
  const at = model.stack.findLastIndex(({ kind }) => kind === screen.kind);
  return at < 0 ? model : { ...model, stack: model.stack.with(at, screen) };
}

export function withNotice(
  model: Model,
  text: string,
  tone: "good" | "bad" | "warning" | "quiet" = "quiet",
): Model {
  return { ...model, notice: { tone, text } };
}
