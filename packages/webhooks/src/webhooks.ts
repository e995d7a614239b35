import {
  counted,
  isLoopError,
  type LiveEvent,
  type LoopObserver,
  type LoopStore,
} from "@ccw-loop/core";
import { type Standing, standingBy } from "./message.ts";
import { type Entry, Outbox } from "./outbox.ts";
import { Queue, type QueueDeps } from "./queue.ts";
import type { Webhook } from "./settings.ts";

/** How long the end of this process may wait for messages, in milliseconds. */
const CLOSE_MS = 5000;

export interface WebhooksOptions extends Omit<QueueDeps, "settled" | "store"> {
  webhooks: readonly Webhook[];
  store: () => Promise<Pick<LoopStore, "read" | "events">>;
  /** Where it is kept what is owed; made when it is needed. */
  folder: string;
}

/** Sends a message whenever a loop that is driven here comes to stand so that somebody wants to know. */
export interface Webhooks extends LoopObserver {
  /** Tries what was not tried yet, for some seconds at most. What is owed then, the next process sends. */
  close(): Promise<void>;
}

/**
 * At least once for every state that a loop is still in when the message can be sent (ADR 34). What happened to messages is
 * kept in `folder`; there and in what is said stands no secret.
 */
export function webhooks({ webhooks, folder, ...deps }: WebhooksOptions): Webhooks {
  const outbox = new Outbox(folder);
  const driven = new Set<string>();
  /** Of loops whose journals are read, for what an earlier process owed. */
  const reading = new Map<string, Promise<void>>();

  const queues = webhooks.map(
    (webhook) =>
      new Queue(webhook, {
        ...deps,
        settled(name, { loop, revision }) {
          outbox.done(loop, name, revision);
          tidy(loop);
        },
      }),
  );

  function tidy(loop: string): void {
    const isBusy = driven.has(loop) || reading.has(loop) || queues.some((queue) => queue.has(loop));
    if (!isBusy) outbox.remove(loop);
  }

  function stands(standing: Standing): void {
    const { loop, revision, state } = standing;
    for (const queue of queues) {
      const { name, states } = queue.webhook;
      if (states.includes(state) && outbox.owes(loop, name, revision)) queue.add(standing);
    }
  }

  /** What processes that were killed have left. */
  function adopt(): void {
    for (const entry of outbox.adopt()) {
      const { loop } = entry;
      const read = catchUp(entry).then(
        () => reading.delete(loop) && tidy(loop),
        // The store does not answer: what is owed stays on record, for the next process.
        () => reading.delete(loop),
      );
      reading.set(
        loop,
        read.then(() => undefined),
      );
    }
  }

  /** How the loop came to stand as it does, if that was behind what is dealt with. A loop that is gone owes nothing. */
  async function catchUp({ loop, after }: Entry): Promise<void> {
    let last: Standing | undefined;
    try {
      for await (const recorded of (await deps.store()).events(loop, after)) {
        last = standingBy(recorded, loop) ?? last;
      }
    } catch (error) {
      if (!isLoopError(error, "loop_not_found")) throw error;
    }
    if (last) stands(last);
  }

  adopt();

  return {
    begin({ loop_id: id }, revision) {
      adopt();
      driven.add(id);
      outbox.begin(id, revision);
    },
    event(live: LiveEvent) {
      if (live.kind !== "recorded") return;
      const standing = standingBy(live.recorded, live.id);
      if (standing) stands(standing);
    },
    end(id) {
      driven.delete(id);
      tidy(id);
    },
    async close() {
      const cut = new AbortController();
      const over = deps.clock.sleep(CLOSE_MS, cut.signal).then(() => cut.abort());
      await Promise.race([Promise.all(reading.values()), over]);
      await Promise.all(queues.map((queue) => queue.close(cut.signal)));
      cut.abort();
      for (const { size, webhook } of queues) {
        if (size === 0) continue;
        deps.say(
          `Webhook ${webhook.name}: ${counted(size, "message")} could not be delivered yet. The next ccw-loop that drives loops here tries again.`,
        );
      }
    },
  };
}
