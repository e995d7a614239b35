import type { Agent, AgentSession, LoopEvent, LoopStore } from "@ccw-loop/core";
import { scriptedAgent } from "@ccw-loop/testkit";
import type { Turns } from "./support.ts";

/** A scripted agent whose sessions differ in something. */
export function agentBut(
  turns: Turns,
  change: (session: AgentSession) => Partial<AgentSession>,
): Agent {
  const agent = scriptedAgent({ script: { turns } });
  return {
    ...agent,
    async open(options) {
      const session = await agent.open(options);
      return {
        id: session.id,
        run: (prompt, turn) => session.run(prompt, turn),
        steer: (text) => session.steer(text),
        close: () => session.close(),
        ...change(session),
      };
    },
  };
}

/** Does `act` once, in the instant before the first commit with such an event. */
export function beforeCommit(
  store: LoopStore,
  wanted: (event: LoopEvent) => boolean,
  act: () => unknown,
): void {
  const append = store.append.bind(store);
  let done = false;
  store.append = async (id, revision, events, options) => {
    if (!done && events.some(wanted)) {
      done = true;
      await act();
    }
    return append(id, revision, events, options);
  };
}

/** The same in the instant after it. */
export function afterCommit(
  store: LoopStore,
  wanted: (event: LoopEvent) => boolean,
  act: () => unknown,
): void {
  const append = store.append.bind(store);
  let done = false;
  store.append = async (id, revision, events, options) => {
    const stored = await append(id, revision, events, options);
    if (!done && events.some(wanted)) {
      done = true;
      await act();
    }
    return stored;
  };
}

/** Does `act` in the instant before the `n`th use of the store, counted from 1; tells whether it came to that. */
export function atUse(store: LoopStore, n: number, act: () => unknown): () => boolean {
  const { append, read } = store;
  let uses = 0;
  const used = async () => {
    uses += 1;
    if (uses === n) await act();
  };
  store.append = async (...args) => {
    await used();
    return append(...args);
  };
  store.read = async (...args) => {
    await used();
    return read(...args);
  };
  return () => uses >= n;
}

export function isStart(action: string): (event: LoopEvent) => boolean {
  return (event) => event.type === "action.started" && event.action === action;
}
