import { type DevelopTask, type LoopService, parseNewLoopId, tasksOf } from "@ccw-loop/core";
import { DoneAnswer, LoopAnswer } from "../contract/answers.ts";
import {
  cleanWorktrees,
  loopJournal,
  loopTimeline,
  recoverLoop,
  rewindLoop,
  whyLoop,
} from "../contract/history.ts";
import { diffLoop, verifyLoop } from "../contract/proof.ts";
import { generateTasks, importTasks } from "../contract/tasks.ts";
import { LoggedActivity } from "./activity.ts";
import { watchProject } from "./changes.ts";
import { HttpTransport } from "./exchange.ts";
import { listAllPages } from "./list.ts";
import { ndjsonLines } from "./ndjson.ts";
import { type LoopClientOptions, RECONNECT } from "./options.ts";
import { LOOPS, loopPath } from "./paths.ts";
import { runRemotely } from "./run.ts";
import { sendBound, sendCommand } from "./send.ts";
import { watchLoop } from "./watched.ts";

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
      const { asks, ...rest } = data;
      return { ...rest, ...(asks === undefined ? {} : { asks }) };
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
    async *activity(id, follow) {
      const query = follow ? { follow: "true" } : {};
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
