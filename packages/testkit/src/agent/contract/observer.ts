import type { AgentSession, TurnEvent, TurnResult } from "@ccw-loop/core";

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
