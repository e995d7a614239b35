import type { AgentSession, OpenOptions } from "@ccw-loop/core";
import { afterEach, beforeEach } from "vitest";
import type { AgentHarness, StagedTurn } from "./harness.ts";
import { type ObservedTurn, type Observer, observer, startTurn } from "./observer.ts";

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

/** A shell command that runs for years, and the number by which `processesRunning` finds it. */
export function longCommand(): { command: string; token: string } {
  nextNumber += 1;
  const token = `${100_000_000 + process.pid * 100 + nextNumber}`;
  return { command: `sleep ${token}`, token };
}
