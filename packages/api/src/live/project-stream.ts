import { type LoopService, summaryOf } from "@ccw-loop/core";
import { activityFollowers } from "./activity-followers.ts";
import { compatSender } from "./compat.ts";
import type { LiveContext } from "./context.ts";
import type { Messages } from "./event-stream.ts";
import { type Kinds, Log } from "./log.ts";
import { factCounter } from "./loop-position.ts";
import {
  activityMessage,
  deletedMessage,
  factMessage,
  greeting,
  plainMessage,
  resyncMessage,
  summaryMessage,
} from "./messages.ts";
import { everyLoop, type LoopChange, projectFeed } from "./project-feed.ts";

/** Clocks and commits may be apart by so much. */
const OVERLAP_MS = 60_000;

export interface ProjectStart {
  kinds: Kinds;
  position: ProjectPosition | null;
  /** The reader came with an id that says nothing. */
  lost: boolean;
}

export type ProjectTopic = Awaited<ReturnType<typeof projectTopic>>;

/** All loops, for everybody who reads of them. `ended` is called when the service tells of changes no more. */
export async function projectTopic(context: LiveContext, ended: () => void) {
  const { clock } = context;
  const stop = new AbortController();
  const feed = await projectFeed(context, stop.signal).catch((error: unknown) => {
    stop.abort();
    throw error;
  });
  const instance = crypto.randomUUID().slice(0, 8);
  const log = new Log<void>(context, undefined);
  const followers = activityFollowers(context, feed, (id, activity) => {
    log.add(["activity"], activityMessage(id, activity, nextPlace()));
  });
  /** Once somebody reads upstream's messages. */
  let sendCompat: ((change: LoopChange) => void) | undefined;

  function placeOf(seq: number): ProjectPosition {
    return { instance, seq, ms: clock.now().getTime() };
  }

  function nextPlace(): string {
    return formatProjectPosition(placeOf(log.end.number + 1));
  }

  function changed(change: LoopChange): void {
    const { id, state, facts } = change;
    if (state === null) log.add(["deleted"], deletedMessage(id, nextPlace()));
    const positionOf = factCounter();
    for (const recorded of facts) {
      const { index } = positionOf(recorded);
      log.add(["recorded"], factMessage(id, recorded, index, nextPlace()));
    }
    if (state !== null) log.add(["summary"], summaryMessage(summaryOf(state), nextPlace()));
    followers.changed(change);
    sendCompat?.(change);
  }

  function finish(): void {
    ended();
    followers.close();
    log.close();
  }

  async function* read(
    { kinds, position, lost }: ProjectStart,
    over: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const { number } = log.head;
    const isKnown =
      position?.instance === instance && position.seq <= number && log.keeps(position.seq);
    const from = isKnown ? position : placeOf(number);
    if (lost || (position && !isKnown)) {
      const since = position && new Date(Math.min(position.ms, from.ms) - OVERLAP_MS).toISOString();
      yield resyncMessage({ since });
      if (since !== null) yield* changesSince(context.service, since, kinds);
    }
    yield greeting(clock.now(), formatProjectPosition(from));
    const wanted = new Set([...kinds, "deleted"]);
    for await (const { bytes } of log.follow(from.seq, over, wanted)) yield bytes;
  }

  void feed.follow(changed).then(finish, finish);

  return {
    /** `left` has to be called when nobody reads the messages any more. */
    messages(start: ProjectStart): { messages: Messages; left: () => void } {
      const left = start.kinds.has("activity") ? followers.want() : () => {};
      return { messages: (over) => read(start, over), left };
    },
    /** Upstream's messages, of all loops or of one, from now on. */
    compat(loop?: string): Messages {
      sendCompat ??= compatSender(clock, stop.signal, (frame) => {
        log.add(["compat", `compat ${frame.loop_id}`], plainMessage(frame));
      });
      const wanted = new Set([loop === undefined ? "compat" : `compat ${loop}`]);
      return async function* (over) {
        yield greeting(clock.now());
        for await (const { bytes } of log.follow(log.head.number, over, wanted)) yield bytes;
      };
    },
    close: () => stop.abort(),
  };
}

async function* changesSince(
  service: LoopService,
  since: string,
  kinds: Kinds,
): AsyncGenerator<Uint8Array> {
  for await (const state of everyLoop(service, since)) {
    if (kinds.has("recorded")) yield* factsSince(service, state.loop_id, since);
    if (kinds.has("summary")) yield summaryMessage(summaryOf(state));
  }
}

async function* factsSince(
  service: LoopService,
  id: string,
  since: string,
): AsyncGenerator<Uint8Array> {
  const positionOf = factCounter();
  for await (const recorded of service.events(id)) {
    const { index } = positionOf(recorded);
    if (recorded.event.at >= since) yield factMessage(id, recorded, index);
  }
}

/** How far a listener of all loops is: in the messages of one server process, and when it was there. */
export interface ProjectPosition {
  instance: string;
  seq: number;
  ms: number;
}

const POSITION = /^([0-9a-f]{8})\.(\d{1,15})\.(\d{1,15})$/;

export function formatProjectPosition({ instance, seq, ms }: ProjectPosition): string {
  return `${instance}.${seq}.${ms}`;
}

export function parseProjectPosition(text: string): ProjectPosition | null {
  const [, instance, seq, ms] = POSITION.exec(text) ?? [];
  if (instance === undefined) return null;
  return { instance, seq: Number(seq), ms: Number(ms) };
}
