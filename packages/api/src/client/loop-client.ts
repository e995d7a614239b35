import {
  type DevelopTask,
  isLoopError,
  type ListQuery,
  type LiveEvent,
  type LoopList,
  type LoopService,
  type LoopState,
  revisionConflict,
  type SummaryList,
  tasksOf,
  type WatchOptions,
} from "@ccw-loop/core";
import type { z } from "zod";
import { etagOf } from "../app/request-conditions.ts";
import { COMMANDS } from "../contract/commands.ts";
import { HISTORY, PROGRESS, PROOF } from "../contract/history.ts";
import { LOOPS, writeCursor } from "../contract/loops.ts";
import { TASKS } from "../contract/tasks.ts";
import { type Filling, HttpTransport, type JsonOperation } from "./http-transport.ts";
import type { LoopClientOptions } from "./options.ts";
import { type Remote, runRemotely } from "./run.ts";
import { ndjsonLines, openLoopStream, watchProject, watchSummaries } from "./streams.ts";

interface Bound extends Filling {
  revision?: number | undefined;
  /** The newest state, where the loop itself may not be readable. */
  read?: () => Promise<LoopState>;
}

/** No state has this digest. */
const NONE = '"none"';

/**
 * The loops behind a control plane, as if they were here: the same answers, and the same errors with their codes and
 * details. What is no answer of a control plane is `store_unavailable`. Throws `invalid_input` for a useless address.
 */
export function loopClient(options: LoopClientOptions): LoopService {
  const exchange = new HttpTransport(options);

  /** The revision that a request is bound to travels as the ETag of the state that has it. */
  async function call<S extends z.ZodType>(
    operation: JsonOperation<S>,
    { revision, read = () => service.get(filling.id ?? ""), ...filling }: Bound,
  ): Promise<z.output<S>> {
    if (revision === undefined) return exchange.json(operation, filling);
    const state = await read();
    // Sent even when it cannot fit any more: a repetition is answered as it was the first time.
    const tag = state.revision === revision ? etagOf(state) : NONE;
    try {
      return await exchange.json(operation, { ...filling, headers: { "if-match": tag } });
    } catch (error) {
      if (!isLoopError(error, "revision_conflict")) throw error;
      throw revisionConflict(state.loop_id, revision, (await read()).revision ?? 0);
    }
  }

  async function data<D>(
    operation: JsonOperation<z.ZodType<{ data: D }>>,
    filling: Bound,
  ): Promise<D> {
    return (await call(operation, filling)).data;
  }

  async function tasksNamed(id: string, lines: { task_id: string }[]): Promise<DevelopTask[]> {
    const ids = new Set(lines.map(({ task_id }) => task_id));
    return (await service.tasks(id)).filter((task) => ids.has(task.id));
  }

  const service: LoopService = {
    create: (spec, { opId } = {}) => data(LOOPS.createLoop, { body: spec, opId }),
    list: (query = {}) => listAllPages(exchange, query),
    summaries: (query = {}) => summarizeAllPages(exchange, query),
    get: (id) => data(LOOPS.getLoop, { id }),
    tasks: async (id) => tasksOf(await service.get(id)),
    why: (id) => data(HISTORY.whyLoop, { id }),
    send: (id, command, { opId, revision } = {}) =>
      data(COMMANDS.sendCommand, { id, body: command, opId, revision }),
    async delete(id, { revision } = {}) {
      await call(LOOPS.deleteLoop, { id, revision });
    },
    events: (id, after = 0) => ndjsonLines(exchange, HISTORY.loopJournal, { id, query: { after } }),
    activity(id, { after, follow } = {}) {
      const query = { after, ...(follow ? { follow: "true" } : {}) };
      return ndjsonLines(exchange, PROGRESS.loopLogs, { id, query, signal: follow });
    },
    watch: (id, watched) => watchLoop({ exchange, service }, id, watched),
    changes: (signal) => watchProject(exchange, signal),
    summaryChanges: (signal) => watchSummaries(exchange, signal),
    run: (id, run = {}) => runRemotely({ exchange, service }, id, run),
    async importTasks(id, issue_id, { opId, revision } = {}) {
      const added = await data(TASKS.importTasks, { id, body: { issue_id }, opId, revision });
      return tasksNamed(id, added);
    },
    async generateTasks(id, { count, ...asked } = {}) {
      return tasksNamed(id, await data(TASKS.generateTasks, { id, body: { count }, ...asked }));
    },
    async steer(id, text) {
      await call(COMMANDS.steerLoop, { id, body: { text } });
    },
    recover(id, { dryRun, revision }) {
      const read = async () => (await service.recover(id, { dryRun: true })).state;
      return data(HISTORY.recoverLoop, { id, body: { dry_run: dryRun }, revision, read });
    },
    timeline: (id) => data(HISTORY.loopTimeline, { id }),
    diff: (id, range = {}) => data(PROOF.diffLoop, { id, query: { ...range } }),
    rewind: (id, to, { force, revision } = {}) =>
      data(HISTORY.rewindLoop, { id, body: { to, force }, revision }),
    fork: (id, from, spec = {}, { opId, revision } = {}) =>
      data(HISTORY.forkLoop, { id, body: { from, ...spec }, opId, revision }),
    receipt: (id, { revision } = {}) => data(PROOF.loopReceipt, { id, revision }),
    verify: (id, { command, signal, revision } = {}) =>
      data(PROOF.verifyLoop, { id, body: { command }, signal, revision }),
    clean: ({ dryRun, force } = {}) =>
      data(HISTORY.cleanWorktrees, { body: { dry_run: dryRun, force } }),
  };
  return service;
}

async function* watchLoop(
  { exchange, service }: Remote,
  id: string,
  { after, signal, ...rest }: WatchOptions,
): AsyncGenerator<LiveEvent> {
  const begin = after ?? (await service.get(id)).revision ?? 0;
  if (signal.aborted) return;
  try {
    yield* await openLoopStream(exchange, id, { after: begin, signal, ...rest });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The server gives no more at once. */
const MOST = 500;

async function listAllPages(exchange: HttpTransport, query: ListQuery): Promise<LoopList> {
  const undriven: LoopList["undriven"] = [];
  const { loops, ...rest } = await allPages(query, async (page) => {
    const answer = await exchange.json(LOOPS.listLoops, { query: page });
    undriven.push(...answer.undriven);
    return answer;
  });
  return {
    ...rest,
    loops: loops.map((state) => ({ state, revision: state.revision ?? 0 })),
    undriven,
  };
}

function summarizeAllPages(exchange: HttpTransport, query: ListQuery): Promise<SummaryList> {
  return allPages(query, (page) => exchange.json(LOOPS.listSummaries, { query: page }));
}

interface Page<T> {
  data: T[];
  total: number;
  damaged: LoopList["damaged"];
  next_cursor: string | null;
}

async function allPages<T>(
  { status, tag, text, offset = 0, after, limit = 50 }: ListQuery,
  ask: (query: NonNullable<Filling["query"]>) => Promise<Page<T>>,
) {
  const loops: T[] = [];
  let from: { offset?: number; cursor?: string } = {
    offset,
    ...(after ? { cursor: writeCursor(after) } : {}),
  };
  for (;;) {
    const most = Math.min(limit - loops.length, MOST);
    const { data, total, damaged, next_cursor } = await ask({
      status,
      tag,
      text,
      ...from,
      limit: most,
    });
    loops.push(...data);
    if (loops.length >= limit || next_cursor === null) return { loops, total, damaged };
    from = { cursor: next_cursor };
  }
}
