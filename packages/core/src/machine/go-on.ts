import { failingTests } from "../state/failing-tests.ts";
import type { LoopState } from "../state/loop-state.ts";
import { tasksOf } from "../state/tasks.ts";
import { limitsOf } from "./limits.ts";

const HOUR = 3_600_000;

/** The command that takes up an ended loop again; a limit that was reached is raised in it. */
export function reopenCommand(state: LoopState, code = state.outcome?.code): string {
  const base = `ccw-loop resume ${state.loop_id} --reopen`;
  if (state.status === "completed") return `ccw-loop tasks add ${state.loop_id} "…" && ${base}`;
  const limits = limitsOf(state);
  const { usage } = state;
  switch (code) {
    case "max_iterations":
      return `${base} --max-iterations ${state.max_iterations + 10}`;
    case "max_duration":
      return `${base} --max-duration ${hours(raised(limits.max_duration_ms, usage?.active_ms))}`;
    case "max_turns":
      return `${base} --max-turns ${raised(limits.max_turns, usage?.turns)}`;
    case "budget_exhausted": {
      const { max_cost_usd: money, max_tokens } = limits;
      const tokens = (usage?.total_tokens ?? 0) >= max_tokens;
      const spent = money !== undefined && (usage?.cost_usd ?? 0) >= money;
      return [
        base,
        ...(tokens || !spent ? [`--max-tokens ${raised(max_tokens, usage?.total_tokens)}`] : []),
        ...(spent
          ? [`--max-cost ${cents(Math.max(money * 2, (usage?.cost_usd ?? 0) * 1.5))}`]
          : []),
      ].join(" ");
    }
    default:
      return base;
  }
}

/** What is left to do, in one clause: `2 tasks open (b, c), 3 tests failing`; empty when there is nothing. */
export function openText(state: LoopState): string {
  const open = tasksOf(state).filter((task) => task.status !== "completed");
  const names = open.slice(0, 5).map(({ id }) => id);
  const more = open.length > names.length ? ", …" : "";
  const failing = failingTests(state.skill_state).length;
  return [
    ...(open.length > 0
      ? [`${counted(open.length, "task")} open (${names.join(", ")}${more})`]
      : []),
    ...(failing > 0 ? [`${counted(failing, "test")} failing`] : []),
  ].join(", ");
}

/** Twice the bound, or what lets the loop go on where more than that was used. */
function raised(bound: number, used = 0): number {
  return Math.ceil(Math.max(bound * 2, used * 1.5));
}

function hours(ms: number): string {
  return ms % HOUR === 0 ? `${ms / HOUR}h` : `${Math.ceil(ms / 60_000)}m`;
}

function cents(usd: number): string {
  return String(Math.ceil(usd * 100) / 100);
}

function counted(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}
