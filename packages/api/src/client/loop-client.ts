import {
  type DevelopTask,
  isLoopError,
  type ListQuery,
  type LiveEvent,
  type LoopCommand,
  type LoopList,
  type LoopService,
  type LoopState,
  parseNewLoopId,
  revisionConflict,
  type SendOptions,
  tasksOf,
  type WatchOptions,
  withoutUndefined,
} from "@ccw-loop/core";
import type { z } from "zod";
import { etagOf } from "../app/request-conditions.ts";
import {
  cleanWorktrees,
  loopJournal,
  loopTimeline,
  recoverLoop,
  rewindLoop,
  whyLoop,
} from "../contract/history.ts";
import { listLoops, writeCursor } from "../contract/loops.ts";
import { DoneAnswer, LoopAnswer } from "../contract/operation.ts";
import { diffLoop, verifyLoop } from "../contract/proof.ts";
import { generateTasks, importTasks } from "../contract/tasks.ts";
import { HttpTransport, LOOPS, loopPath, type RequestSpec } from "./http-transport.ts";
import { type LoopClientOptions, RECONNECT } from "./options.ts";
import { type Remote, runRemotely } from "./run.ts";
import { LoggedActivity, ndjsonLines, openLoopStream, watchProject } from "./streams.ts";

/**
 * The loops behind a control plane, as if they were here: the same answers, and the same errors with their codes and
 * details. What is no answer of a control plane is `store_unavailable`. Throws `invalid_input` for a useless address.
 */
export function loopClient(options: LoopClientOptions): LoopService {
  const transport = new HttpTransport(options);
  const reconnect = { ...RECONNECT, ...options.reconnect };
  const post = (path: string, body: unknown) => ({ method: "POST", path, body }) as const;

  /** The tasks with these ids, as the loop has them. */
  async function tasksNamed(id: string, lines: { task_id: string }[]): Promise<DevelopTask[]> {
    const ids = new Set(lines.map(({ task_id }) => task_id));
    return (await service.tasks(id)).filter((task) => ids.has(task.id));
  }

  const service: LoopService = {
    async create(spec, { opId } = {}) {
      if (spec.id !== undefined) parseNewLoopId(spec.id);
      return (await transport.json({ ...post(LOOPS, spec), opId }, LoopAnswer)).data;
    },
    list: (query = {}) => listAllPages(transport, query),
    get: async (id) => (await transport.json({ path: loopPath(id) }, LoopAnswer)).data,
    tasks: async (id) => tasksOf(await service.get(id)),
    async why(id) {
      const { data } = await transport.json({ path: loopPath(id, "/why") }, whyLoop.answer.json);
      return withoutUndefined(data);
    },
    send: async (id, command, sendOptions = {}) => sendCommand(transport, id, command, sendOptions),
    async delete(id, { revision } = {}) {
      const ask = { method: "DELETE", path: loopPath(id) } as const;
      await sendBound(transport, { id, revision }, ask, DoneAnswer);
    },
    async *events(id, after = 0) {
      const ask = { path: loopPath(id, "/journal"), query: { after } };
      yield* ndjsonLines(transport, ask, loopJournal.answer.ndjson);
    },
    async *activity(id, { after, follow } = {}) {
      const query = { after, ...(follow ? { follow: "true" } : {}) };
      const ask = { path: loopPath(id, "/logs"), query, signal: follow };
      yield* ndjsonLines(transport, ask, LoggedActivity);
    },
    watch: (id, watchOptions) =>
      watchLoop({ exchange: transport, reconnect, service }, id, watchOptions),
    changes: (signal) => watchProject(transport, reconnect, signal),
    run: (id, runOptions = {}) =>
      runRemotely({ exchange: transport, reconnect, service }, id, runOptions),
    async importTasks(id, issue, { opId, revision } = {}) {
      const ask = { ...post(loopPath(id, "/import"), { issue_id: issue }), opId };
      const { data } = await sendBound(transport, { id, revision }, ask, importTasks.answer.json);
      return tasksNamed(id, data);
    },
    async generateTasks(id, { opId, revision, count, signal } = {}) {
      const ask = {
        ...post(loopPath(id, "/generate"), { count }),
        opId,
        slow: true,
        signal,
      } as const;
      const { data } = await sendBound(transport, { id, revision }, ask, generateTasks.answer.json);
      return tasksNamed(id, data);
    },
    async steer(id, text) {
      await transport.json(post(loopPath(id, "/steer"), { text }), DoneAnswer);
    },
    async recover(id, { dryRun, revision }) {
      const ask = post(loopPath(id, "/recover"), { dry_run: dryRun });
      const read = async () => (await service.recover(id, { dryRun: true })).state;
      return (await sendBound(transport, { id, revision, read }, ask, recoverLoop.answer.json))
        .data;
    },
    async timeline(id) {
      const ask = { path: loopPath(id, "/timeline") };
      return (await transport.json(ask, loopTimeline.answer.json)).data;
    },
    async diff(id, range = {}) {
      const ask = { path: loopPath(id, "/diff"), query: { ...range } };
      return (await transport.json(ask, diffLoop.answer.json)).data;
    },
    async rewind(id, n, { force, revision } = {}) {
      const ask = post(loopPath(id, "/rewind"), { to: n, force });
      return (await sendBound(transport, { id, revision }, ask, rewindLoop.answer.json)).data;
    },
    async fork(id, n, spec = {}, { opId, revision } = {}) {
      if (spec.id !== undefined) parseNewLoopId(spec.id);
      const ask = { ...post(loopPath(id, "/fork"), { from: n, ...spec }), opId };
      return (await sendBound(transport, { id, revision }, ask, LoopAnswer)).data;
    },
    async verify(id, { command, signal, revision } = {}) {
      const ask = { ...post(loopPath(id, "/verify"), { command }), slow: true, signal } as const;
      const { answer } = verifyLoop;
      return (await sendBound(transport, { id, revision }, ask, answer.json)).data;
    },
    async clean({ dryRun, force } = {}) {
      const ask = post("/api/worktrees/clean", { dry_run: dryRun, force });
      return (await transport.json(ask, cleanWorktrees.answer.json)).data;
    },
  };
  return service;
}

/** See `LoopService.watch`. */
export async function* watchLoop(
  { exchange, reconnect, service }: Remote,
  id: string,
  { after, signal, ...rest }: WatchOptions,
): AsyncGenerator<LiveEvent> {
  const begin = after ?? (await service.get(id)).revision ?? 0;
  if (signal.aborted) return;
  try {
    const told = await openLoopStream({ exchange, reconnect, id, after: begin, signal, ...rest });
    for await (const { live } of told) yield live;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The server gives no more at once. */
const MOST = 500;

/** See `LoopService.list`; asks as often as it takes. */
export async function listAllPages(
  exchange: HttpTransport,
  { status, tag, text, offset = 0, after, limit = 50 }: ListQuery,
): Promise<LoopList> {
  // A cursor and an offset cannot be asked for together: what is to be left out behind a place is read, too.
  let skip = after ? offset : 0;
  const filters = { status, tag, text };
  const loops: LoopList["loops"] = [];
  const undriven: LoopList["undriven"] = [];
  let from: { offset?: number; cursor?: string } = after
    ? { cursor: writeCursor(after) }
    : { offset };
  for (;;) {
    const wanted = Math.min(Math.max(limit + skip - loops.length, 1), MOST);
    const page = await exchange.json(
      { path: LOOPS, query: { ...filters, ...from, limit: wanted } },
      listLoops.answer.json,
    );
    const found = page.data.slice(skip);
    skip -= page.data.length - found.length;
    loops.push(...found.map((state) => ({ state, revision: state.revision ?? 0 })));
    undriven.push(...page.undriven);
    if (loops.length >= limit || page.next_cursor === null) {
      const { total, damaged } = page;
      const kept = loops.slice(0, limit);
      const ids = new Set(kept.map(({ state }) => state.loop_id));
      return { loops: kept, total, damaged, undriven: undriven.filter(({ id }) => ids.has(id)) };
    }
    from = { cursor: page.next_cursor };
  }
}

/** No state has this digest. */
const NONE = '"none"';

/** See `LoopService.send`. */
export async function sendCommand(
  exchange: HttpTransport,
  id: string,
  command: LoopCommand,
  { opId, revision }: SendOptions,
): Promise<LoopState> {
  const ask = { method: "POST", path: loopPath(id, "/commands"), body: command, opId } as const;
  return (await sendBound(exchange, { id, revision }, ask, LoopAnswer)).data;
}

export interface Bound {
  id: string;
  revision: number | undefined;
  /** The newest state, where the loop itself may not be readable. */
  read?: () => Promise<LoopState>;
}

/** Sends a request about a loop. The revision that it is bound to travels as the ETag of the state that has it. */
export async function sendBound<S extends z.ZodType>(
  exchange: HttpTransport,
  { id, revision, read = () => newest(exchange, id) }: Bound,
  ask: RequestSpec,
  schema: S,
): Promise<z.output<S>> {
  if (revision === undefined) return exchange.json(ask, schema);
  const state = await read();
  // Sent even when it cannot fit any more: a repetition is answered as it was the first time.
  const tag = state.revision === revision ? etagOf(state) : NONE;
  try {
    return await exchange.json({ ...ask, headers: { "if-match": tag } }, schema);
  } catch (error) {
    if (!isLoopError(error, "revision_conflict")) throw error;
    throw revisionConflict(id, revision, (await read()).revision ?? 0);
  }
}

async function newest(exchange: HttpTransport, id: string): Promise<LoopState> {
  return (await exchange.json({ path: loopPath(id) }, LoopAnswer)).data;
}
