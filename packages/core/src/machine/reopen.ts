import { LoopError } from "../errors.ts";
import { openObjections } from "../proof/objections.ts";
import { failingTests, openTasks, statusText } from "../state/derived.ts";
import type { LoopState } from "../state/loop-state.ts";
import { counted, firstOf, shellWord } from "../text.ts";
import type { LoopEdit } from "./events.ts";
import { limitsOf } from "./limits.ts";

/** Throws `invalid_transition` for a running loop; `act` is what only happens to one at rest, as `delete`. */
export function requireAtRest({ status, loop_id }: LoopState, act: string): void {
  if (status !== "running") return;
  throw new LoopError(
    "invalid_transition",
    `Cannot ${act} running loop ${loop_id}. Pause it first: ccw-loop pause ${loop_id}`,
    { details: { status } },
  );
}

/** Throws `invalid_transition` for a loop that has ended: it has to be reopened before it can be run. */
export function requireOpen(state: LoopState): void {
  if (state.status !== "failed" && state.status !== "completed") return;
  throw new LoopError(
    "invalid_transition",
    `Loop ${state.loop_id} has ended: ${statusText(state)}. Reopen it with: ${reopenCommand(state)}`,
    { details: { status: state.status, outcome: state.outcome?.code ?? null } },
  );
}

const HOUR = 3_600_000;
const MINUTE = 60_000;

/**
 * ` --agent NAME` for a command that drives the loop, where its agent is a module or a command: nobody runs one that is only
 * in a loop's state.
 */
export function agentFlag({ settings }: Pick<LoopState, "settings">): string {
  const { agent = "" } = settings ?? {};
  return /^(\/|file:|acp:)/.test(agent) ? ` --agent ${shellWord(agent)}` : "";
}

/** The command that takes up an ended loop again; every limit that was reached is raised in it. */
export function reopenCommand(state: LoopState, code = state.outcome?.code): string {
  const { loop_id: id, status } = state;
  const raising = raisingFlags(state, code);
  const resume = [`ccw-loop resume ${id} --reopen`, ...raising].join(" ") + agentFlag(state);
  const isDone = status === "completed" && openTasks(state).length === 0;
  return isDone ? `ccw-loop tasks add ${id} - && ${resume}` : resume;
}

/** What lets an ended loop go on: the bound that ended it raised, and every other one that would end it again at once. */
export function raisedBounds(
  state: LoopState,
  code = state.outcome?.code,
): Pick<LoopEdit, "max_iterations" | "limits"> {
  const { usage, current_iteration, max_iterations } = state;
  const { max_cost_usd, max_duration_ms, max_turns, max_tokens } = limitsOf(state);
  const { active_ms = 0, turns = 0, total_tokens = 0, cost_usd = 0 } = usage ?? {};
  const spent = max_cost_usd !== undefined && cost_usd >= max_cost_usd;
  const limits: NonNullable<LoopEdit["limits"]> = {};
  if (code === "max_duration" || active_ms >= max_duration_ms) {
    limits.max_duration_ms = Math.ceil(raised(max_duration_ms, active_ms) / MINUTE) * MINUTE;
  }
  if (code === "max_turns" || turns >= max_turns) limits.max_turns = raised(max_turns, turns);
  if (total_tokens >= max_tokens || (code === "budget_exhausted" && !spent)) {
    limits.max_tokens = raised(max_tokens, total_tokens);
  }
  if (spent) limits.max_cost_usd = cents(Math.max(max_cost_usd * 2, cost_usd * 1.5));
  const more = Math.max(max_iterations, current_iteration) + 10;
  const isOut = code === "max_iterations" || current_iteration >= max_iterations;
  return {
    ...(isOut ? { max_iterations: more } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}

function raisingFlags(state: LoopState, code: string | undefined): string[] {
  const { max_iterations, limits = {} } = raisedBounds(state, code);
  const { max_duration_ms, max_turns, max_tokens, max_cost_usd } = limits;
  const flags = {
    "--max-iterations": max_iterations,
    "--max-duration": max_duration_ms && hours(max_duration_ms),
    "--max-turns": max_turns,
    "--max-tokens": max_tokens,
    "--max-cost": max_cost_usd,
  };
  return Object.entries(flags).flatMap(([flag, to]) => (to === undefined ? [] : [`${flag} ${to}`]));
}

/** What is left to do, in one clause: `2 tasks open (b, c), 3 tests failing`; empty when there is nothing. */
export function openText(state: LoopState): string {
  const open = openTasks(state);
  const names = open.map(({ id }) => id);
  const failing = failingTests(state.skill_state).length;
  const parts: string[] = [];
  if (open.length > 0) parts.push(`${counted(open.length, "task")} open (${firstOf(names, 5)})`);
  if (failing > 0) parts.push(`${counted(failing, "test")} failing`);
  const receipt = state.receipts?.at(-1);
  // Without tests to count the run as a whole is what fails.
  if (failing === 0 && receipt?.passed === false) parts.push("a test run that passes");
  return parts.length > 0 ? parts.join(", ") : unprovenText(state);
}

/** What is missing for a proof where no task is open and no test is known to fail. */
function unprovenText(state: LoopState): string {
  if (!state.skill_state) return "a plan";
  const passed = state.receipts?.at(-1)?.passed === true;
  if (!passed) return "a test run that passes";
  if (state.skill_state.validate.stale !== false) return "a test run of the files as they are now";
  const objections = openObjections(state).length;
  return objections === 0 ? "" : `${counted(objections, "objection")} to judge`;
}

function raised(bound: number, used = 0): number {
  return Math.ceil(Math.max(bound * 2, used * 1.5));
}

function hours(ms: number): string {
  return ms % HOUR === 0 ? `${ms / HOUR}h` : `${ms / MINUTE}m`;
}

function cents(usd: number): number {
  return Math.ceil(usd * 100) / 100;
}
