import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  FileChange,
  LoopStore,
  RecordedEvent,
  Verification,
  Verifier,
  Workspace,
} from "@ccw-loop/core";
import { type AgentScriptInput, memoryStore, scriptedAgent } from "@ccw-loop/testkit";
import { onTestFinished } from "vitest";
import {
  type LoopService,
  type LoopServiceOptions,
  loopService,
  type NewLoop,
} from "../src/index.ts";

export type Turns = AgentScriptInput["turns"];

/** A project folder that is gone after the test. */
export function project(): string {
  const dir = mkdtempSync(join(tmpdir(), "ccw-orchestrator-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Answers the runs in turn, then repeats the last; `null` is a project without tests. */
export function verifierThat(
  ...runs: ("pass" | "fail" | "hang")[] | [null]
): Verifier & { ran: number } {
  const verifier = {
    ran: 0,
    detect: async (_cwd: string, given?: string) =>
      runs[0] === null && given === undefined
        ? null
        : { command: given ?? "npm test", source: "given", report: "junit" },
    verify: async (_plan: unknown, { signal }: { signal: AbortSignal }): Promise<Verification> => {
      const run = runs[Math.min(verifier.ran, runs.length - 1)];
      verifier.ran += 1;
      if (run === "hang") {
        await new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        });
      }
      return verification(run === "pass");
    },
  };
  return verifier;
}

function verification(passed: boolean): Verification {
  return {
    command: "npm test",
    started_at: "2026-01-22T10:00:00.000Z",
    duration_ms: 5,
    exit_code: passed ? 0 : 1,
    report: "junit",
    counts: { total: 1, passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 },
    tests: [
      {
        test_name: "total",
        suite: "cart",
        status: passed ? "passed" : "failed",
        duration_ms: 1,
        error_message: passed ? null : "1 is not 2",
        stack_trace: null,
      },
    ],
    coverage: null,
    passed,
    reason: passed ? "1 of 1 tests passed." : "1 of 1 tests failed.",
    output_tail: "",
    test_files: {},
  };
}

/** Names the top-level files of a folder by their content. */
export function folderWorkspace(dir: string): Workspace {
  const trees = new Map<string, Record<string, string>>();
  return {
    kind: "folder",
    async tree() {
      const files: Record<string, string> = {};
      for (const entry of readdirSync(dir, { withFileTypes: true })) {
        if (entry.isFile()) files[entry.name] = readFileSync(join(dir, entry.name), "utf8");
      }
      const name = createHash("sha256").update(JSON.stringify(files)).digest("hex");
      trees.set(name, files);
      return name;
    },
    async changes(from, to) {
      const before = trees.get(from) ?? {};
      const after = trees.get(to) ?? {};
      const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
      return paths.flatMap((path): FileChange[] => {
        if (before[path] === after[path]) return [];
        if (before[path] === undefined) return [{ path, kind: "added" }];
        return [{ path, kind: after[path] === undefined ? "deleted" : "modified" }];
      });
    },
  };
}

export interface Bench {
  service: LoopService;
  store: LoopStore;
  dir: string;
  /** Runs a new loop with these turns. */
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
  const service = loopService({
    store,
    agent: async () => agent,
    verifier,
    workspace: async () => folderWorkspace(dir),
    cwd: dir,
    ...changes,
  });
  const start = async (spec: Partial<NewLoop> = {}) => {
    const settings = { mode: "auto" as const, ...spec.settings };
    const loop = await service.create({ description: "Fix the cart", ...spec, settings });
    return loop.loop_id;
  };
  return { service, store, dir, start };
}

/** Every recorded event of a loop. */
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

export const debug = (updates: Record<string, unknown> = {}) => ({
  action: "DEBUG",
  expect: "# ACTION: DEBUG",
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
      status: "confirmed",
      evidence: [{ total: 1 }],
      verdict_reason: "seen",
    },
  ],
  confirmed_hypothesis: "H1",
};
