import {
  type DevelopTask,
  decide,
  isUnsettled,
  type LoopCommand,
  LoopError,
  type LoopEvent,
  type LoopState,
  nextTask,
  noProgressWaiting,
  outcomeOf,
  replay,
  selectNextAction,
  TEST_ANSWERS,
  taskCommand,
  tasksOf,
  waitsForAcceptance,
} from "../src/index.ts";
import {
  AT,
  afterFix,
  begun,
  confirmedCause,
  created,
  debugged,
  developed,
  done,
  failed,
  interrupted,
  objection,
  task,
  validated,
  waiting,
} from "./given.ts";

/** A transition of the real machine: what was done, by whom, and the state behind it. */
export interface Move {
  label: string;
  /** `system`: the orchestrator goes on by itself. `operator`: a command. `world`: files change, a process dies. */
  by: "system" | "operator" | "world";
  to: LoopState;
}

const COMMANDS: LoopCommand[] = [
  { type: "start" },
  { type: "pause" },
  { type: "resume" },
  { type: "stop" },
  { type: "exit" },
  { type: "answer", text: "yes" },
  { type: "answer", text: "accept" },
  { type: "answer", text: "reject" },
  { type: "answer", option: "waive_tests", text: "there are none" },
  { type: "edit", changes: { settings: { waive_tests: "there are none" } } },
];

/** A task that the orchestrator does by itself. */
const COMMAND = task("b", { tool: "bash", command: "make" });

/** What comes of a task that is a command, beside what comes of any. */
function runOf(of: DevelopTask | undefined, exit_code: number) {
  const command = of ? taskCommand(of) : null;
  if (command === null) return {};
  return { command_run: { command, exit_code, duration_ms: 1, output: "", timed_out: false } };
}

/** Every way the machine can go from here: all outcomes of the selected action, all commands, all mishaps. */
export function moves(state: LoopState): Move[] {
  return [...systemMoves(state), ...operatorMoves(state), ...worldMoves(state)];
}

function systemMoves(state: LoopState): Move[] {
  const { action, asks } = selectNextAction(state);
  if (asks) {
    return [to(state, "asks for help", [waiting(noProgressWaiting(state, AT))])];
  }
  if (action === null) return [];
  if (action === "MENU") return menuMoves(state);
  const task_id = action === "DEVELOP" ? (nextTask(state)?.id ?? null) : null;
  const run = replay([begun(action, task_id)], state);
  const ends: [string, LoopEvent[]][] = [];
  switch (action) {
    case "INIT":
      for (const mode of ["auto", "interactive"] as const) {
        for (const tasks of [[task("a")], [task("a"), COMMAND]]) {
          ends.push([`INIT(${mode} ${tasks.length})`, [done({ action: "INIT", mode, tasks })]]);
        }
      }
      ends.push(["INIT(failed)", [failed("INIT")]]);
      break;
    case "DEVELOP":
      ends.push(["DEVELOP", [developed(task_id ?? "", runOf(nextTask(state), 0))]]);
      ends.push(["DEVELOP(failed)", [failed("DEVELOP", task_id, runOf(nextTask(state), 1))]]);
      break;
    case "DEBUG":
      ends.push(["DEBUG(nothing)", [debugged()]]);
      ends.push(["DEBUG(repaired)", [debugged({ files_changed: ["a.js"] })]]);
      ends.push(["DEBUG(confirmed)", [debugged(confirmed(state))]]);
      if (isOpenCause(state)) {
        const hypotheses = [confirmedCause({ status: "rejected" })];
        ends.push(["DEBUG(rejected)", [debugged({ hypotheses })]]);
      }
      ends.push(["DEBUG(failed)", [failed("DEBUG")]]);
      break;
    case "VALIDATE":
      ends.push(["VALIDATE(pass)", [validated(true, {}, [afterFix("does_not_hold")])]]);
      if (isOpenCause(state) && !state.receipts?.at(-1)?.passed) {
        ends.push(["VALIDATE(unsettled)", [validated(true, {}, [afterFix("holds")])]]);
      }
      ends.push(["VALIDATE(fail)", [validated(false)]]);
      if (!tasksOf(state).some(({ id }) => id.startsWith("rejected"))) {
        ends.push(["VALIDATE(objected)", [validated(true, { objections: [objection()] })]]);
      }
      // An older version, or a run while tasks were open, leaves a pass without its square.
      if (state.receipts?.at(-1)?.square === undefined && !state.receipts?.at(-1)?.passed) {
        ends.push(["VALIDATE(no square)", [validated(true, { square: undefined })]]);
      }
      ends.push(["VALIDATE(failed)", [failed("VALIDATE")]]);
      if (state.settings?.waive_tests) {
        ends.push(["VALIDATE(waived)", [validated(true, { waived: "there are none" })]]);
      } else {
        const question = waiting({ about: "tests", options: [...TEST_ANSWERS] });
        ends.push(["VALIDATE(no tests)", [interrupted(action), question]]);
      }
      break;
    case "COMPLETE": {
      if (waitsForAcceptance(run)) {
        const options = ["accept", "reject"];
        const question = waiting({ kind: "approval", about: "objections", options });
        return [to(run, "COMPLETE(asks)", [interrupted(action), question])];
      }
      const { status, ...outcome } = outcomeOf(run);
      const type = status === "completed" ? "loop.completed" : "loop.failed";
      return [to(run, "COMPLETE", [done({ action, summary: {} }), { type, at: AT, outcome }])];
    }
  }
  return ends.map(([label, events]) => to(run, label, events));
}

function menuMoves(state: LoopState): Move[] {
  const choices = ["DEVELOP", "DEBUG", "VALIDATE", "COMPLETE"] as const;
  return choices.flatMap((action) =>
    accepted(state, { type: "choose", action }).map((events) =>
      to(state, `MENU(${action})`, [done({ action: "MENU" }), ...events]),
    ),
  );
}

function operatorMoves(state: LoopState): Move[] {
  return COMMANDS.flatMap((command) =>
    accepted(state, command).map((events) => ({
      ...to(state, command.type, events),
      by: "operator" as const,
    })),
  );
}

function worldMoves(state: LoopState): Move[] {
  if (state.status !== "running") return [];
  const edit: LoopEvent = { type: "workspace.measured", at: AT, tree: "tree-edited" };
  const world = [to(state, "files edited", [edit])];
  const { action } = selectNextAction(state);
  if (action !== null && action !== "MENU" && action !== "COMPLETE") {
    const task_id = action === "DEVELOP" ? (nextTask(state)?.id ?? null) : null;
    world.push(to(state, "cut off", [begun(action, task_id), interrupted(action)]));
  }
  return world.map((move) => ({ ...move, by: "world" as const }));
}

function confirmed(state: LoopState) {
  const n = tasksOf(state).filter((t) => t.id.startsWith("fix")).length + 1;
  const open = tasksOf(state).find((t) => t.status === "failed")?.id ?? "H1";
  const fix_tasks = [task(`fix-${n}`, { fixes: open })];
  return { hypotheses: [confirmedCause()], confirmed_hypothesis: "H1", fix_tasks };
}

/** All that can matter of the only hypothesis here. */
function isOpenCause({ skill_state }: LoopState): boolean {
  return skill_state?.debug.hypotheses.some(isUnsettled) === true;
}

function accepted(state: LoopState, command: LoopCommand): LoopEvent[][] {
  try {
    return [decide(state, command, AT)];
  } catch (error) {
    if (error instanceof LoopError) return [];
    throw error;
  }
}

function to(state: LoopState, label: string, events: LoopEvent[]): Move {
  return { label, by: "system", to: replay(events, state) };
}

/**
 * What the machine can tell apart: two states with the same key behave the same from here on, which has a test of its
 * own. Left out is what cannot matter any more: in a loop that has ended everything but its end; of a receipt of other files
 * all but whether it passed; at the limit of iterations, where only COMPLETE is left, everything but what COMPLETE judges.
 */
export function keyOf(state: LoopState): string {
  const skill = state.skill_state;
  const tasks = tasksOf(state);
  const isDone = tasks.every(({ status }) => status === "completed");
  const isStale = skill?.validate.stale !== false;
  const { passed, square, waived, objections } = state.receipts?.at(-1) ?? {};
  const proof = [
    [passed ?? 0, square !== undefined],
    isStale ? 0 : [waived ?? 0, objections?.length ?? 0],
    [isStale, isOpenCause(state), state.accepted ?? 0],
  ];
  if (state.status === "failed" || state.status === "completed") {
    return JSON.stringify([state.status, state.outcome?.code, proof, isDone]);
  }
  const isLimited = state.current_iteration >= state.max_iterations;
  return JSON.stringify([
    state.status,
    [state.waiting?.kind ?? 0, state.waiting?.about ?? 0],
    state.current_iteration,
    proof,
    skill
      ? [
          skill.mode,
          skill.chosen_action ?? 0,
          isOpenCause(state) && skill.last_action === "VALIDATE",
        ]
      : 0,
    isLimited ? isDone : workKey(state, isStale),
  ]);
}

/** What decides how the work goes on. */
function workKey(state: LoopState, isStale: boolean) {
  return [
    state.usage?.consecutive_failures ?? 0,
    state.settings?.waive_tests ?? 0,
    tasksOf(state).map((t) => [t.id, t.status, t.debugged ?? 0, t.attempts ?? 0, t.fixes ?? 0]),
    stallKey(state),
    isStale ? 0 : (state.workspace?.tree ?? 0),
  ];
}

/**
 * The same with all of it, for a search that proves the other key right. How often an action was cut off is left out: it
 * changes nothing before MAX_ATTEMPTS, which has a test of its own.
 */
export function wholeKeyOf(state: LoopState): string {
  const { skill_state: skill, action, waiting } = state;
  const { passed, square, waived, objections } = state.receipts?.at(-1) ?? {};
  return JSON.stringify([
    state.status,
    [waiting?.kind ?? 0, waiting?.about ?? 0, state.accepted ?? 0],
    state.outcome?.code ?? 0,
    state.current_iteration,
    action ? [action.name, action.task_id] : 0,
    skill ? [skill.mode, skill.chosen_action ?? 0, skill.validate.stale, skill.last_action] : 0,
    isOpenCause(state),
    [passed ?? 0, square !== undefined, waived ?? 0, objections?.length ?? 0],
    workKey(state, false),
  ]);
}

/**
 * What can still matter here: the best of tasks is in the tasks, there is one way to fail and no evidence, and `idle`,
 * which is never above `stalled`, decides nothing below its own thresholds.
 */
function stallKey({ stall }: LoopState) {
  if (!stall) return 0;
  const { stalled, debugged, unmeasured, best_failing, failures } = stall;
  return [stalled, debugged, unmeasured > 0, best_failing, failures.length];
}

export interface Graph {
  states: Map<string, LoopState>;
  edges: Map<string, { label: string; by: Move["by"]; to: string }[]>;
  transitions: number;
  root: string;
}

/** All states that can be reached from a created loop with this many iterations; those of one key are one. */
export function explore(max_iterations: number, key: (state: LoopState) => string = keyOf): Graph {
  // Most commands are refused on the way, and nobody reads where that was.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return exploreFrom(max_iterations, key);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function exploreFrom(max_iterations: number, nameOf: (state: LoopState) => string): Graph {
  const first = replay([
    created({ max_iterations, limits: { max_consecutive_failures: 3, max_stalled: 3 } }),
  ]);
  const root = nameOf(first);
  const states = new Map([[root, first]]);
  const edges: Graph["edges"] = new Map();
  const queue = [root];
  let transitions = 0;
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    const state = states.get(key);
    if (!state) continue;
    const out = moves(state).map((move) => ({ ...move, key: nameOf(move.to) }));
    transitions += out.length;
    edges.set(
      key,
      out.map(({ label, by, key: target }) => ({ label, by, to: target })),
    );
    for (const move of out) {
      if (states.has(move.key)) continue;
      states.set(move.key, move.to);
      queue.push(move.key);
    }
  }
  return { states, edges, transitions, root };
}
