import type {
  Agent,
  AgentSession,
  ErrorCode,
  OpenOptions,
  TurnEvent,
  TurnResult,
} from "@ccw-loop/core";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { processesRunning } from "../../process/commands.ts";

/** Ways a turn can fail on the agent's side; `agent_died` has its own staging. */
export type StagedFailure = Extract<
  ErrorCode,
  "agent_failed" | "agent_unauthorized" | "usage_limit" | "rate_limited" | "context_overflow"
>;

/** What the agent under test shall do in one turn, in this order; what is left out does not happen. */
export interface StagedTurn {
  /** Writes a whole file, path relative to the project. */
  edit?: { path: string; content: string };
  /** Runs a shell command in the project and waits for it. */
  command?: string;
  /** How the turn ends. `hang`: sends the beginning of a message, then nothing more. `die`: its process ends. */
  end: { answer: string } | { fail: StagedFailure; resetsAt?: Date } | "hang" | "die";
  /** What the turn costs, for agents that report it. */
  tokens?: { input: number; output: number };
}

/**
 * An agent under test and the strings to pull. Made anew for every test, disposed after it. Whatever the
 * means (a script, a scripted model server), only what a model decides may be staged: conversation,
 * processes, abort and resume must be the real ones.
 */
export interface AgentHarness extends AsyncDisposable {
  /** The project: a folder of its own, empty but for what the agent itself needs. */
  readonly cwd: string;
  /** Each call another instance, as in another process; all share the durable conversations. */
  agent(): Agent;
  /** What the next `run` of any session does. Replaces what was staged before, played or not. */
  stage(turn: StagedTurn): Promise<void>;
  /** What the agent had before it in its last turn, older prompts of the conversation included. */
  seen(): Promise<string>;
  /** Resolves when the conversations so far can be continued by another process; at once unless given. */
  untilResumable?(): Promise<void>;
}

/** What differs between agents that are all right. */
export interface AgentTraits {
  /** The failures that the harness can stage; the tests of the others are left out. */
  failures: readonly StagedFailure[];
  /** Whether usage is reported; where not, it must be null. */
  reportsUsage: boolean;
  /** Whether it names its turns and copies conversations; where not, every fork begins anew. */
  forks: boolean;
  /** Whether a session has `exec`. */
  executes: boolean;
  /** Whether a message reaches a turn under way; where not, it is refused. */
  steers: boolean;
  /** Whether it tells what its commands print: while they run, when they end, or never. */
  tellsOutput: "at once" | "at the end" | "never";
  /** Whether it tells the exit codes of its commands; where not, they must be null. */
  tellsExitCode: boolean;
  /** How long one test may take; a minute unless given. Milliseconds. */
  longestMs?: number;
}

/** A session and everything it told outside of its turns. */
interface OpenedSession {
  session: AgentSession;
  heard: Observer;
}

/** The harness of the test that runs, with the shorthands all parts of the suite use. */
export interface Subject {
  readonly harness: AgentHarness;
  /** Opens a conversation with another instance of the agent; it is closed after the test. */
  open(options?: Partial<OpenOptions>): Promise<OpenedSession>;
  /** Stages a turn and starts it. */
  start(session: AgentSession, turn: StagedTurn, prompt?: string): Promise<ObservedTurn>;
  /** Stages a turn that only answers, and answers what came back. */
  ask(session: AgentSession, answer: string, prompt?: string): Promise<string>;
}

/** Resolves when the first command of the turn runs and, where that is told, says that all of it is there. */
export async function untilUp(turn: Observer, token: string, { tellsOutput }: AgentTraits) {
  if (tellsOutput === "at once") await turn.first("command.output");
  const isThere = () => processesRunning(token).length > 0;
  await vi.waitFor(
    () => expect(isThere(), "The command that was staged for this turn does not run.").toBe(true),
    20_000,
  );
}

/** Sets up a harness for every test of the enclosing `describe`. */
export function setUpEach(make: () => Promise<AgentHarness>): Subject {
  let harness: AgentHarness | undefined;
  let opened: AgentSession[] = [];

  function current(): AgentHarness {
    if (!harness) throw new Error("The harness exists only while a test runs.");
    return harness;
  }

  async function start(session: AgentSession, turn: StagedTurn, prompt?: string) {
    await current().stage(turn);
    return startTurn(session, prompt);
  }

  beforeEach(async () => {
    harness = await make();
    opened = [];
  });
  afterEach(async () => {
    for (const session of opened) await session.close();
    await harness?.[Symbol.asyncDispose]();
  });

  return {
    get harness() {
      return current();
    },
    async open(options = {}) {
      const heard = observer();
      const session = await current()
        .agent()
        .open({
          cwd: current().cwd,
          instructions: "Be brief.",
          onEvent: heard.onEvent,
          ...options,
        });
      opened.push(session);
      return { session, heard };
    },
    start,
    async ask(session, answer, prompt) {
      const turn = await start(session, { end: { answer } }, prompt);
      return (await turn.end).text;
    },
  };
}

let nextNumber = 0;

/**
 * A shell command that runs for years, and the number by which `processesRunning` finds it. There are agents that start none
 * that begins with a sleep.
 */
export function longCommand(): { command: string; token: string } {
  nextNumber += 1;
  const token = `${100_000_000 + process.pid * 100 + nextNumber}`;
  return { command: `true; sleep ${token}`, token };
}

type EventOf<T extends TurnEvent["type"]> = Extract<TurnEvent, { type: T }>;

/** Everything that was told, in order, and a way to wait for it. */
export interface Observer {
  readonly events: TurnEvent[];
  onEvent: (event: TurnEvent) => void;
  /** The types of the events so far, in order. */
  types(): TurnEvent["type"][];
  /** The first event of this type, already told or still to come. */
  first<T extends TurnEvent["type"]>(type: T): Promise<EventOf<T>>;
}

export function observer(): Observer {
  const events: TurnEvent[] = [];
  const waiting = new Set<() => void>();
  return {
    events,
    onEvent(event) {
      events.push(event);
      for (const look of waiting) look();
    },
    types: () => events.map((event) => event.type),
    first<T extends TurnEvent["type"]>(type: T) {
      return new Promise<EventOf<T>>((resolve) => {
        const look = () => {
          const found = events.find((event): event is EventOf<T> => event.type === type);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
  };
}

/** A turn under way: what it tells, how to abort it, and what `run` promised. */
export interface ObservedTurn extends Observer {
  abort: (reason: unknown) => void;
  /** Safe to leave alone: a rejection that nobody awaits is no unhandled one. */
  end: Promise<TurnResult>;
}

export function startTurn(session: AgentSession, prompt = "Go on."): ObservedTurn {
  const seen = observer();
  const control = new AbortController();
  const end = session.run(prompt, { signal: control.signal, onEvent: seen.onEvent });
  end.catch(() => undefined);
  return { ...seen, abort: (reason) => control.abort(reason), end };
}
