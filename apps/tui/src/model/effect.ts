import type {
  DevelopTask,
  Driver,
  LoopCommand,
  LoopDiff,
  LoopError,
  LoopState,
  NewLoop,
  ReceiptCheck,
  Rewound,
  Selection,
  TimelineEntry,
} from "@ccw-loop/core";
import type { Finding } from "@ccw-loop/view";

/** What a step of the model wants to happen outside of it; `perform` does it. */
export type Effect =
  /** Its answer comes back as `answered`, to the screen of that kind wherever it is in the stack. */
  | { type: "call"; call: Call }
  /** Follow this loop, and only this one, from now on; null: none. */
  | { type: "follow"; id: string | null }
  /** Go on with a loop: here where this process drives, else where its server does. */
  | { type: "drive"; id: string }
  /** Leave: loops that are driven here are paused, or stay running for the next supervisor. */
  | { type: "quit"; driven: "pause" | "release" };

/** What screens ask of the service, and what it answers. */
export interface Calls {
  create: { args: { spec: NewLoop; drive: boolean }; result: LoopState };
  send: { args: { id: string; command: LoopCommand }; result: LoopState };
  delete: { args: { id: string }; result: unknown };
  steer: { args: { id: string; text: string }; result: unknown };
  why: { args: { id: string }; result: Selection & Driver };
  timeline: { args: { id: string }; result: TimelineEntry[] };
  diff: { args: { id: string; from: number; to: number }; result: LoopDiff };
  rewind: { args: { id: string; to: number; force: boolean }; result: Rewound };
  fork: { args: { id: string; from: number; title: string }; result: LoopState };
  verify: { args: { id: string }; result: ReceiptCheck };
  generate: { args: { id: string; count: number | undefined }; result: DevelopTask[] };
  import: { args: { id: string; issue: string }; result: DevelopTask[] };
  /** What a loop needs on this machine, checked. */
  doctor: { args: object; result: readonly Finding[] };
  /** The agent that a form begins with: the configured one, else the first that can work here. It may take a minute. */
  agent: { args: object; result: string };
  /** In the editor of the person; answers with the text as it was left there. */
  edit: { args: { text: string }; result: string };
  /** A text of the machine of the person, by its path. */
  read: { args: { file: string }; result: string };
  /** To the clipboard of the terminal. */
  copy: { args: { text: string }; result: unknown };
  /** To a file that does not exist yet, in the folder of the caller; answers with its path. */
  save: { args: { file: string; text: string }; result: string };
}

export type CallName = keyof Calls;

export type Call = { [N in CallName]: { name: N } & Calls[N]["args"] }[CallName];

/** What came of a call: `value`, or why it was refused. */
export type Answer = {
  [N in CallName]: { name: N; call: Call & { name: N } } & (
    | { ok: true; value: Calls[N]["result"] }
    | { ok: false; error: LoopError }
  );
}[CallName];

export function calling(call: Call): Effect {
  return { type: "call", call };
}

/** A command for a loop. */
export function sending(id: string, command: LoopCommand): Effect {
  return calling({ name: "send", id, command });
}
