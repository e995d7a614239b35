import {
  type ActionOutput,
  Hypothesis,
  type LoopEvent,
  type LoopState,
  nextTask,
  noProgressWaiting,
  outcomeOf,
  replay,
  selectNextAction,
  tasksOf,
} from "../src/index.ts";
import {
  AT,
  begun,
  created,
  debugged,
  done,
  failed,
  probeRun,
  receipt,
  started,
  task,
  waiting,
} from "./given.ts";

/** What an imaginary agent and its project do; everything is left alone unless it is said. */
export interface Script {
  /** Planned tasks; default 1. */
  tasks?: number;
  limits?: LoopState["limits"];
  /** DEVELOP number `n` (from 1): the content of the project behind it, or that it failed. */
  develop?: (n: number, world: World) => { tree?: string; failed?: true };
  /** VALIDATE number `n`: the failing tests with their messages; empty is a pass, null a run that cannot be counted. */
  validate?: (n: number, world: World) => Record<string, string> | null;
  /** DEBUG number `n`: hypotheses decided on evidence, fix tasks, or that it failed. */
  debug?: (n: number, world: World) => { decided?: number; fixes?: number; failed?: true };
  /** An action that never counts, before every other one: a question, a usage limit, a crash. */
  interrupted?: LoopEvent[];
}

export interface World {
  tree: string;
  develops: number;
  debugs: number;
  validates: number;
}

export interface Played {
  state: LoopState;
  iterations: number;
  actions: string[];
  levels: Set<string>;
}

/** Plays a loop by the real rules until it ends or waits. Throws when it does neither in `most` steps. */
export function play(script: Script, most = 5000): Played {
  const world: World = { tree: "tree-0", develops: 0, debugs: 0, validates: 0 };
  const planned = Array.from({ length: script.tasks ?? 1 }, (_, n) => task(`task-${n + 1}`));
  let state = replay([
    created({ max_iterations: 1000, limits: { max_turns: 100_000, ...script.limits } }),
    started,
    ended({ action: "INIT", mode: "auto", tasks: planned }, "tree-0"),
  ]);
  const actions: string[] = [];
  const levels = new Set<string>();
  for (let step = 0; step < most; step += 1) {
    const { action, asks, guards } = selectNextAction(state);
    for (const { name, value } of guards) if (name === "stall_level") levels.add(String(value));
    if (asks) {
      state = replay([waiting(noProgressWaiting(state, AT))], state);
      return { state, iterations: state.current_iteration, actions, levels };
    }
    if (action === null) return { state, iterations: state.current_iteration, actions, levels };
    actions.push(action);
    state = replay([...(script.interrupted ?? []), ...act(script, world, state, action)], state);
  }
  throw new Error(`The loop goes on after ${most} steps.`);
}

function act(script: Script, world: World, state: LoopState, action: string): LoopEvent[] {
  const task_id = action === "DEVELOP" ? (nextTask(state)?.id ?? null) : null;
  switch (action) {
    case "DEVELOP": {
      world.develops += 1;
      const start: LoopEvent = { ...begun("DEVELOP", task_id), tree: world.tree } as LoopEvent;
      const { tree, failed: fails } = script.develop?.(world.develops, world) ?? {};
      const files_changed = tree !== undefined && tree !== world.tree ? ["a.js"] : [];
      world.tree = tree ?? world.tree;
      if (fails) return [start, leaving(world.tree, failed("DEVELOP", task_id))];
      const summary = `change ${world.develops}`;
      const output = { action: "DEVELOP" as const, task_id: task_id ?? "", summary, files_changed };
      return [start, ended(output, world.tree)];
    }
    case "VALIDATE":
      world.validates += 1;
      return [begun("VALIDATE"), ended(run(script, world), world.tree)];
    case "DEBUG": {
      world.debugs += 1;
      const { decided = 0, fixes = 0, failed: fails } = script.debug?.(world.debugs, world) ?? {};
      if (fails) return [begun("DEBUG"), leaving(world.tree, failed("DEBUG"))];
      return [begun("DEBUG"), leaving(world.tree, debugging(state, world.debugs, decided, fixes))];
    }
    default: {
      const { status, ...outcome } = outcomeOf(state);
      const type = status === "completed" ? "loop.completed" : "loop.failed";
      return [ended({ action: "COMPLETE", summary: {} }, world.tree), { type, at: AT, outcome }];
    }
  }
}

/** An event that ends an action, with the files that it left. */
const leaving = (tree: string, event: LoopEvent) => ({ ...event, tree }) as LoopEvent;

const ended = (output: ActionOutput, tree: string) => leaving(tree, done(output));

function run(script: Script, world: World): ActionOutput {
  const failing = script.validate ? script.validate(world.validates, world) : {};
  const { tree } = world;
  const names = Object.keys(failing ?? {});
  const passed = failing !== null && names.length === 0;
  const test_results = names.map((test_name) => ({
    test_name,
    suite: "",
    status: "failed" as const,
    duration_ms: 1,
    error_message: failing?.[test_name] ?? "",
    stack_trace: null,
  }));
  const facts = { tree_before: tree, tree_after: tree };
  return { action: "VALIDATE", receipt: receipt(passed, facts), test_results, coverage: null };
}

function debugging(state: LoopState, n: number, decided: number, fixes: number): LoopEvent {
  const ideas = Array.from({ length: decided }, (_, i) =>
    Hypothesis.parse({
      id: `H${n}-${i}`,
      description: `idea ${n}`,
      status: fixes > 0 && i === 0 ? "confirmed" : "rejected",
      evidence: [probeRun("H")],
    }),
  );
  const count = tasksOf(state).length;
  const fix_tasks = Array.from({ length: fixes }, (_, i) =>
    task(`fix-${count + i}`, { fixes: ideas[0]?.id ?? "H" }),
  );
  const confirmed_hypothesis = fixes > 0 ? (ideas[0]?.id ?? null) : null;
  return debugged({ hypotheses: ideas, confirmed_hypothesis, fix_tasks });
}
