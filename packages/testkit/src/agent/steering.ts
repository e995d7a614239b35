import { EventEmitter, once } from "node:events";
import { firstMissing } from "./pattern.ts";

/** What the running turn was told on the way. */
export interface SteeringInbox {
  add(text: string): void;
  /** Resolves as soon as one text has all of `patterns`; rejects when `signal` aborts. */
  expect(patterns: readonly string[], signal: AbortSignal): Promise<void>;
}

export function steeringInbox(): SteeringInbox {
  const texts: string[] = [];
  const changes = new EventEmitter();
  return {
    add(text) {
      texts.push(text);
      changes.emit("added");
    },
    async expect(patterns, signal) {
      while (!texts.some((text) => firstMissing(patterns, text) === undefined)) {
        await once(changes, "added", { signal });
      }
    },
  };
}
