import type {
  AgentChoice,
  Finding,
  Health,
  NewLoopField,
  SquareCell,
  TonedLine,
} from "@ccw-loop/view";
import type { Call, Calls, Effect } from "./effect.ts";
import { emptyField, emptyText, type Field, fieldOf } from "./field.ts";

export const SORTS = ["health", "newest", "oldest", "name"] as const;

export interface HomeState {
  kind: "home";
  /** Null: the first one. */
  selected: string | null;
  /** Where the selected one was when it was selected: when it is gone, the one that is there now is selected. */
  at: number;
  /** Newest and oldest: by the time of the last change. */
  sort: (typeof SORTS)[number];
  /** Null: all. */
  health: Health | "damaged" | null;
  /** What the search field holds; `searching` while it has the keys. */
  search: Field;
  searching: boolean;
}

export const startOfHome: HomeState = {
  kind: "home",
  selected: null,
  at: 0,
  sort: "health",
  health: null,
  search: emptyField,
  searching: false,
};

export interface LoopScreenState {
  kind: "loop";
  id: string;
  /** The name of a pane: `agent`, or one that the screen of a loop has beside it. */
  focus: string;
  /** The pane beside the tasks where there is room for two; null: whatever is of interest now. */
  beside: string | null;
  /** The focused pane has the whole body. */
  zoomed: boolean;
  /** First line shown of the agent's pane, by its number since the log began, and of the others that were scrolled. */
  scroll: Readonly<Record<string, number> & { agent: number }>;
  /** The agent pane shows the newest line. */
  follow: boolean;
  search: Field;
  searching: boolean;
  /** The number of the line of the agent that was found last. */
  found: number | null;
}

export function loopScreenAt(id: string): LoopScreenState {
  return {
    kind: "loop",
    id,
    focus: "agent",
    beside: null,
    zoomed: false,
    scroll: { agent: 0 },
    follow: true,
    search: emptyField,
    searching: false,
    found: null,
  };
}

/** The question that the followed loop waits with: a choice of options, free text, or both one after the other. */
export interface AnswerState {
  kind: "answer";
  id: string;
  /** When the loop began to wait: another question has another time. */
  since: string;
  /** The option that would be sent; null until somebody chose one. */
  selected: number | null;
  /** The chosen option whose text is typed now. */
  option: string | null;
  field: Field;
  scroll: number;
  /** An answer was sent and is not accepted yet. */
  busy: boolean;
}

/** The menu of interactive mode, for the followed loop. */
export interface MenuState {
  kind: "menu";
  id: string;
  /** When the loop began to wait: another question has another time. */
  since: string;
  selected: number;
  notice: string | null;
  /** A choice was sent and is not answered yet. */
  busy: boolean;
}

/** The tasks of the followed loop: add, edit, remove, reorder. */
export interface TasksState {
  kind: "tasks";
  id: string;
  selected: number;
  /** A new order that the loop does not have yet. */
  moved?: Moved;
}

export interface Moved {
  /** Every task of the loop, as they are to stand. */
  ids: readonly string[];
  /** The order that was sent and is not answered yet; moves meanwhile are sent after it. */
  sent: readonly string[] | null;
  /** The revision from which on the loop has it; null until the answer. */
  revision: number | null;
}

export interface TimelineState {
  kind: "timeline";
  id: string;
  entries: Calls["timeline"]["result"] | null;
  selected: number;
}

/** What one action changed. */
export interface DiffState {
  kind: "diff";
  id: string;
  from: number;
  to: number;
  /** Files and patch as lines, bounded; null while it is asked for. */
  content: readonly TonedLine[] | null;
  scroll: number;
  /** Long lines go on in the next row instead of being cut. */
  wraps: boolean;
}

/** The newest receipt of the followed loop, and what checking it again said. */
export interface ReceiptState {
  kind: "receipt";
  id: string;
  check: Calls["verify"]["result"] | { refused: string } | "running" | null;
  scroll: number;
}

/** The runs behind the newest receipt of the followed loop, and the tests of one of them. */
export interface SquareState {
  kind: "square";
  id: string;
  cell: SquareCell["name"];
  scroll: number;
}

export interface WhyState {
  kind: "why";
  id: string;
  /** Null while it is asked for. */
  why: Calls["why"]["result"] | null;
  scroll: number;
}

/** A text for something small; `purpose` says what it is for and for whom. */
export interface PromptState {
  kind: "prompt";
  purpose:
    | { name: "add-task"; id: string }
    | { name: "edit-task"; id: string; taskId: string }
    | { name: "import-tasks"; id: string }
    /** How many at most; empty where the agent may decide. */
    | { name: "generate-tasks"; id: string }
    | { name: "edit-limit"; id: string }
    /** A word to the agent in the middle of its turn. */
    | { name: "steer"; id: string };
  field: Field;
  /** Why the text cannot be taken. */
  problem: string | null;
  /** What was asked, while its answer is waited for. */
  sent?: Call | undefined;
}

/** What is only a word or a number has one line. */
const LONG: ReadonlySet<string> = new Set(["add-task", "edit-task", "steer"]);

export function promptFor(purpose: PromptState["purpose"], text = ""): PromptState {
  const empty = LONG.has(purpose.name) ? emptyText : emptyField;
  return { kind: "prompt", purpose, field: fieldOf(text, empty), problem: null };
}

export interface CreateState {
  kind: "create";
  /** Those that the new loop may have; null where the server says. */
  agents: readonly AgentChoice[] | null;
  fields: Readonly<Record<NewLoopField, Field>>;
  focus: NewLoopField;
  /** Fields that were left once: only they show what is wrong with them. */
  touched: readonly NewLoopField[];
  /** What the service said to it. */
  refused: string | null;
  busy: boolean;
}

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

export interface DoctorState {
  kind: "doctor";
  /** Null while it is looked. */
  findings: readonly Finding[] | null;
  problem: string | null;
  scroll: number;
}

/** Every key of the screen below it. */
export interface HelpState {
  kind: "help";
  of: ScreenState["kind"];
  scroll: number;
}

/** Every action of the screen below it, by name. */
export interface PaletteState {
  kind: "palette";
  field: Field;
  selected: number;
}

/** Asked when this process drives loops: pause them, leave them running for the next supervisor, or stay. */
export interface QuitState {
  kind: "quit";
}

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
  | PaletteState
  | PromptState
  | QuitState
  | ReceiptState
  | SquareState
  | TasksState
  | TimelineState
  | WhyState;
