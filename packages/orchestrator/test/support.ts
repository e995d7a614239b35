import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type LoopEvent,
  type LoopService,
  type LoopStore,
  type NewLoop,
  orAborted,
  type RecordedEvent,
  type Verification,
  type Verifier,
  type VerifyPlan,
  type Workspace,
} from "@ccw-loop/core";
import {
  type AgentScriptInput,
  folderWorkspace,
  memoryStore,
  sampleVerification,
  scriptedAgent,
} from "@ccw-loop/testkit";
import { onTestFinished } from "vitest";
import { type LoopServiceOptions, loopService } from "../src/index.ts";

export type Turns = AgentScriptInput["turns"];

/** Rejects with the reason of the signal, and not before. */
export const untilAborted = (signal: AbortSignal): Promise<never> =>
  orAborted(new Promise(() => undefined), signal);

/** A project folder that is gone after the test. */
export function project(): string {
  const dir = mkdtempSync(join(tmpdir(), "ccw-orchestrator-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/**
 * Answers the baseline (a pass) and then the runs in turn, repeating the last; `null` is a project without tests.
 * `ran` counts without the baseline.
 */
export function verifierThat(
  ...runs: ("pass" | "fail" | "hang")[] | [null]
): Verifier & { ran: number } {
  let measured = runs[0] === null;
  const verifier = {
    ran: 0,
    detect: async (_cwd: string, given?: string) =>
      runs[0] === null && given === undefined ? null : planFor(given ?? "npm test"),
    check: async () => [],
    missing: async () => [],
    surroundings: async (_cwd: string, since: Date) => ({ since, newer: [], changed: false }),
    probe: async () => ({ exit_code: 0, duration_ms: 1, output: "probed", timed_out: false }),
    verify: async (
      _plan: unknown,
      { signal, room }: { signal: AbortSignal; room?: unknown },
    ): Promise<Verification> => {
      if (room) return sampleVerification(true);
      if (!measured) {
        measured = true;
        return sampleVerification(true);
      }
      const run = runs[Math.min(verifier.ran, runs.length - 1)];
      verifier.ran += 1;
      if (run === "hang") await untilAborted(signal);
      return sampleVerification(run === "pass");
    },
  };
  return verifier;
}

function planFor(command: string): VerifyPlan {
  return { command, source: "given", parts: [{ command, report: "junit" }] };
}

export interface Bench {
  service: LoopService;
  store: LoopStore;
  dir: string;
  /** The files of the project. */
  workspace: Workspace;
  start(spec?: Partial<NewLoop>): Promise<string>;
}

/** A service over a memory store, a scripted agent and the given verifier. */
export function bench(
  turns: Turns,
  verifier: Verifier,
  changes: Partial<LoopServiceOptions> = {},
): Bench {
  const dir = project();
  const store = changes.store ?? memoryStore();
  const agent = scriptedAgent({ script: { turns } });
  const workspace = folderWorkspace(dir);
  const workspaces: Record<string, Workspace> = { [dir]: workspace };
  const service = loopService({
    store,
    agent: async () => agent,
    verifier,
    workspace: async (folder) => (workspaces[folder] ??= folderWorkspace(folder)),
    cwd: dir,
    ...changes,
  });
  const start = async (spec: Partial<NewLoop> = {}) => {
    const settings = {
      mode: "auto" as const,
      flaky_reruns: 0,
      expect: "unchanged" as const,
      ...spec.settings,
    };
    const loop = await service.create({ description: "Fix the cart", ...spec, settings });
    return loop.loop_id;
  };
  return { service, store, dir, workspace, start };
}

export async function journal(store: LoopStore, id: string): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for await (const recorded of store.events(id)) all.push(recorded);
  return all;
}

/** The executed actions of a loop in order, with how they ended. */
export async function actions(store: LoopStore, id: string): Promise<string[]> {
  return (await journal(store, id)).flatMap(({ event }) => {
    if (event.type === "action.failed") return [`${event.action}(failed)`];
    if (event.type === "action.interrupted") return [`${event.action}(interrupted)`];
    if (event.type !== "action.completed") return [];
    if (event.output.action !== "VALIDATE") return [event.action];
    return [`VALIDATE(${event.output.receipt.passed ? "pass" : "fail"})`];
  });
}

/** A loop that was driven until it ends or waits, with what it did. */
export async function driven(b: Bench, spec: Partial<NewLoop> = {}) {
  const id = await b.start(spec);
  const state = await b.service.run(id);
  return { b, id, state, done: await actions(b.store, id) };
}

/** Everything of one kind that happened to a loop. */
export async function eventsOf<T extends LoopEvent["type"]>(store: LoopStore, id: string, type: T) {
  const events = (await journal(store, id)).map(({ event }) => event);
  return events.filter((event): event is Extract<LoopEvent, { type: T }> => event.type === type);
}

export const plan = (...tasks: string[]) => ({
  action: "INIT",
  expect: "# ACTION: INIT",
  answer: { state_updates: { tasks: tasks.map((description) => ({ description })) } },
});

export const write = (path: string, content: string) => ({
  action: "DEVELOP",
  expect: "# ACTION: DEVELOP",
  steps: [{ write: { path, content } }],
  answer: { message: "done", state_updates: { summary: `wrote ${path}` } },
});

/** Answers every prompt of DEBUG alike: hypotheses with their probes, and what is to be done about the cause. */
export const debug = (updates: Record<string, unknown> = {}) => ({
  action: "DEBUG",
  when: "# ACTION: DEBUG",
  expect: "# ACTION: DEBUG",
  repeat: true,
  answer: {
    message: "looked",
    state_updates: {
      active_bug: "cart",
      understanding: "it rounds twice",
      hypotheses: [],
      confirmed_hypothesis: null,
      fix_tasks: [],
      ...updates,
    },
  },
});

export const cause = {
  hypotheses: [
    {
      id: "H1",
      description: "it rounds twice",
      testable_condition: "total differs",
      logging_point: "cart.js:total:3",
      evidence_criteria: { confirm: "seen", reject: "not seen" },
      likelihood: 1,
      // Any file of the loop is there; behind its fix it is no 1 any more.
      probe: {
        command: "cat a.js",
        if_holds: [{ kind: "text", how: "is", text: "1" }],
        if_not: [{ kind: "text", how: "is", text: "2" }],
      },
    },
  ],
  confirmed_hypothesis: "H1",
};
