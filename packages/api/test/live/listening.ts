import {
  type Activity,
  type LiveEvent,
  type LoopService,
  type LoopStore,
  NewTask,
  type RecordedEvent,
} from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";
import { type FakeClock, fakeClock } from "@ccw-loop/testkit";
import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";
import { Hono } from "hono";
import { onTestFinished } from "vitest";
import { errorAnswer } from "../../src/app/http-error.ts";
import { IdempotencyCache } from "../../src/app/idempotency-cache.ts";
import { Metrics } from "../../src/app/metrics.ts";
import { serveOperations } from "../../src/app/serve-operation.ts";
import { LIVE_LIMITS, type LiveContext, type LiveLimits } from "../../src/live/context.ts";
import { createLive, type Live, type LiveOptions } from "../../src/live/live.ts";
import { liveHandlers } from "../../src/live/routes.ts";
import { bench } from "../support.ts";

export const EPOCH = Date.parse("2030-01-01T00:00:00.000Z");

/** Quick, and small enough for tests to come to its bounds. */
export const QUICK = { tickMs: 5, pingMs: 60_000, stallMs: 5_000 };

export interface LiveBench {
  service: LoopService;
  store: LoopStore;
  cwd: string;
  /** As another server process would: nothing is kept from the one before. */
  serve(options?: LiveOptions): Served;
}

export interface Served {
  live: Live;
  app: Hono;
  /** Throws for an answer that is no stream. */
  listen(path: string, lastId?: string): Promise<Reader>;
}

export function liveBench(files: "fs" | "memory" = "memory"): LiveBench {
  const store = (root: string) => fsStore({ root, durability: "process" });
  const b = bench(files === "fs" ? { store } : {});
  return { ...b, serve: (options) => serveLive(b.service, options) };
}

/** The same with a loop `a`. */
export async function liveLoop(files?: "fs" | "memory"): Promise<LiveBench> {
  const b = liveBench(files);
  await newLoop(b.service, "a");
  return b;
}

export function serveLive(service: LoopService, options: LiveOptions = {}): Served {
  const live = createLive(service, { ...options, limits: { ...QUICK, ...options.limits } });
  onTestFinished(() => live.close());
  const app = new Hono();
  const deps = {
    live,
    service,
    options: { access: "guarded" } as const,
    metrics: new Metrics(),
    repetitions: new IdempotencyCache(),
  };
  serveOperations(app, deps, liveHandlers(deps));
  app.onError((error, c) => errorAnswer(c, error));
  return {
    live,
    app,
    async listen(path, lastId) {
      const headers = lastId === undefined ? {} : { "Last-Event-ID": lastId };
      const { status, body } = await app.request(path, { headers });
      if (status !== 200 || !body) throw new Error(`${path} answered ${status}`);
      return new Reader(body, lastId);
    },
  };
}

/** What parts of live streams are given, with a clock that stands still. */
export function liveContext(limits: Partial<LiveLimits>): LiveContext & { clock: FakeClock } {
  const { service } = bench();
  return { service, clock: fakeClock(), limits: { ...LIVE_LIMITS, ...limits } };
}

/** A client of an event stream; pings are left out. */
export class Reader {
  readonly #messages: ReadableStreamDefaultReader<EventSourceMessage>;
  /** What it would come back with. */
  lastId: string | undefined;

  constructor(body: ReadableStream<Uint8Array>, lastId?: string) {
    this.lastId = lastId;
    const text = body.pipeThrough(new TextDecoderStream());
    this.#messages = text.pipeThrough(new EventSourceParserStream()).getReader();
  }

  /** Until the id is there behind which it would come back. */
  async greeting(): Promise<void> {
    const { value } = await this.#messages.read();
    this.lastId = value?.id ?? this.lastId;
  }

  async next(): Promise<EventSourceMessage | undefined> {
    for (;;) {
      const { done, value } = await this.#messages.read();
      if (done) return undefined;
      if (value.id !== undefined) this.lastId = value.id;
      if (value.event !== "ping") return value;
    }
  }

  async take(count: number): Promise<EventSourceMessage[]> {
    const taken: EventSourceMessage[] = [];
    while (taken.length < count) {
      const message = await this.next();
      if (!message)
        throw new Error(`The stream ended behind ${taken.length} of ${count} messages.`);
      taken.push(message);
    }
    return taken;
  }

  async rest(): Promise<EventSourceMessage[]> {
    const all: EventSourceMessage[] = [];
    for (let one = await this.next(); one; one = await this.next()) all.push(one);
    return all;
  }

  async leave(): Promise<void> {
    await this.#messages.cancel();
  }
}

export function told(messages: readonly EventSourceMessage[]) {
  const facts: RecordedEvent[] = [];
  const activity: Activity[] = [];
  for (const { data } of messages) {
    const live: LiveEvent = JSON.parse(data);
    if (live.kind === "recorded") facts.push(live.recorded);
    if (live.kind === "activity") activity.push(live.activity);
  }
  return { facts, activity };
}

export function line(text: string, ms: number): Activity {
  const at = new Date(EPOCH + ms).toISOString();
  return { at, action: "DEVELOP", event: { type: "command.output", text } };
}

export async function newLoop(service: LoopService, id: string): Promise<void> {
  await service.create({ id, description: "round the total" });
}

/** Some facts, in one commit or in several. */
export async function addTask(
  service: LoopService,
  loop: string,
  id: string,
  description = id,
): Promise<void> {
  await service.send(loop, {
    type: "add_task",
    task: NewTask.parse({ id, description }),
  });
}
