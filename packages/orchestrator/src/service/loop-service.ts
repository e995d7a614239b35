import { setTimeout as delay } from "node:timers/promises";
import {
  type Clock,
  decide,
  KeyedQueue,
  type LoopCommand,
  LoopError,
  type LoopState,
  requireNoBashTask,
  requireOpen,
  selectNextAction,
  tasksOf,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { realFiles } from "../project-files.ts";
import { ephemeralKey } from "../proof/receipt.ts";
import { noRepositories } from "../run/clones.ts";
import type { Steering } from "../run/drive-session.ts";
import { appendDecided } from "../run/recorder.ts";
import { importTasks } from "./add-tasks.ts";
import { diffOfLoop, forkLoop, timelineOfLoop } from "./checkpoints.ts";
import { createLoop, randomHex } from "./create.ts";
import { cleanWorktrees, deleteLoop } from "./delete.ts";
import { driverOf, listLoops, summarizeLoops, summaryChanges } from "./list.ts";
import type { LocalLoops } from "./local-loops.ts";
import { Preflight, requireTestProgram } from "./preflight.ts";
import { activityOf, watchLoop } from "./watch.ts";

/** Whether they can be carried out depends on what is on this machine; all others, such as a pause, cost no second read. */
const NEEDS_MACHINE = new Set<LoopCommand["type"]>(["answer", "edit", "resume", "start"]);

/**
 * What `loopService` needs; clock, chance, owner and times have defaults (lease 15 s, one test run 30 minutes). Any name of
 * an agent is taken where `agentProblem` is left out. Without `sealKey` receipts can be checked by the same service alone.
 */
export type LoopServiceOptions = Partial<OrchestratorDeps> &
  Pick<OrchestratorDeps, "store" | "agent" | "verifier" | "workspace" | "cwd">;

/** What drives loops, proves and carries them: most of this package, and nothing that only looks at loops needs it. */
const driving = () => import("./loaded-late.ts");

/** The application service over local ports. One process may hold any number of them. */
export function loopService(options: LoopServiceOptions): LocalLoops {
  const deps: OrchestratorDeps = {
    clock: systemClock,
    random: Math.random,
    files: realFiles,
    owner: `${process.pid}-${randomHex()}`,
    leaseTtlMs: 15_000,
    verifyTimeoutMs: 30 * 60 * 1000,
    endSuperseded: async () => undefined,
    keepAlive: async () => undefined,
    sealKey: ephemeralKey(),
    repositories: noRepositories,
    agentProblem: () => undefined,
    agentsElsewhere: false,
    observers: async () => [],
    commandProblem: async () => "nobody said which commands may be run without a sandbox",
    ...options,
  };
  const { store, clock } = deps;
  const steering: Steering = new Map();
  const commands = new KeyedQueue();
  const preflight = new Preflight(deps);
  const now = () => clock.now().toISOString();

  const service: LocalLoops = {
    create: (spec, requestOptions = {}) => createLoop(deps, preflight, spec, requestOptions),
    list: (query) => listLoops(deps, query),
    summaries: (query) => summarizeLoops(deps, query),
    get: async (id) => (await store.read(id)).state,
    tasks: async (id) => tasksOf((await store.read(id)).state),
    async why(id) {
      const { state } = await store.read(id);
      return { ...selectNextAction(state), ...(await driverOf(deps, state)) };
    },
    send: (id, command, { opId, revision, allowBash } = {}) =>
      commands.run(id, async () => {
        const before = opId === undefined ? null : await store.operation(id, opId);
        if (before) return before.state;
        if (NEEDS_MACHINE.has(command.type)) {
          const stored = await store.read(id);
          // A command for another revision is refused when it is appended.
          if (revision === undefined || revision === stored.revision) {
            await preflight.requireForCommand(stored.state, command);
            await requireTestProgram(deps, stored.state, command);
          }
        }
        const events = (state: LoopState) => {
          const decided = decide(state, command, now());
          if (allowBash === false) requireNoBashTask(state, decided);
          return decided;
        };
        const write = { actor: "operator", opId: opId ?? randomHex() + randomHex(), revision };
        return (await appendDecided(store, id, events, write)).stored.state;
      }),
    delete: (id, deleteOptions = {}) => deleteLoop(deps, id, deleteOptions),
    events: (id, after) => store.events(id, after),
    activity: (id, readOptions) => activityOf(store, id, readOptions),
    watch: (id, watchOptions) => watchLoop(store, id, watchOptions, now()),
    changes: (signal) => store.watch(undefined, signal),
    summaryChanges: (signal) => summaryChanges(deps, signal),
    async run(id, runOptions = {}) {
      const { state } = await store.read(id);
      requireOpen(state);
      await preflight.requireFor(state);
      return (await driving()).runLoop(deps, id, runOptions, steering);
    },
    async supervise(superviseOptions) {
      const { Supervisor } = await driving();
      return new Supervisor(deps, steering, superviseOptions).run();
    },
    importTasks: (id, issue, requestOptions = {}) => importTasks(deps, id, issue, requestOptions),
    generateTasks: async (id, taskRequest = {}) =>
      (await driving()).generateTasks(deps, id, taskRequest),
    async steer(id, text) {
      const session = steering.get(id)?.active.current;
      if (!session)
        throw new LoopError("invalid_input", `No turn of loop ${id} runs in this process.`);
      await session.steer(text);
    },
    recover: (id, recoverOptions) => store.recover(id, { ...recoverOptions, at: now() }),
    timeline: (id) => timelineOfLoop(deps, id),
    diff: (id, range = {}) => diffOfLoop(deps, id, range),
    rewind: async (id, n, rewindOptions = {}) =>
      (await driving()).rewindLoop(deps, id, n, rewindOptions),
    fork: (id, n, spec = {}, options = {}) => forkLoop(deps, id, n, spec, options),
    receipt: async (id, readOptions = {}) =>
      (await driving()).portableReceipt(deps, id, readOptions),
    verify: async (id, verifyOptions = {}) => (await driving()).verifyLoop(deps, id, verifyOptions),
    verifyReceipt: async (text, verifyOptions = {}) =>
      (await driving()).verifyPortable(deps, text, verifyOptions),
    archive: async (id) => (await driving()).archiveLoop(store, id),
    restore: async (lines) => (await driving()).restoreArchive(deps, lines),
    clean: (cleanOptions = {}) => cleanWorktrees(deps, cleanOptions),
  };
  return service;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(Math.min(ms, 2 ** 31 - 1), undefined, signal ? { signal } : {}).catch(
      () => undefined,
    );
  },
};
