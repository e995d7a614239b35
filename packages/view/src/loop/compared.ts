import { dollars, type LoopDiff, type LoopState, tasksOf } from "@ccw-loop/core";
import { formatDuration } from "../text/amounts.ts";
import { fileRows } from "./diff.ts";
import { countsText } from "./proof.ts";
import { statusSummary } from "./status.ts";

/** What is compared of two loops, in this order: a name, and what one loop has of it. */
export function comparedFacts(state: LoopState, now: Date): [name: string, value: string][] {
  const { usage, outcome, settings, agent } = state;
  const counts = state.receipts?.at(-1)?.counts;
  const tasks = tasksOf(state);
  const done = tasks.filter(({ status }) => status === "completed").length;
  return [
    ["Status", statusSummary(state, now)],
    ["Outcome", outcome?.code ?? "none yet"],
    ["Tests", counts && counts.total > 0 ? countsText(counts) : "not run"],
    ["Tasks", `${done} of ${tasks.length} done`],
    ["Iterations", `${state.current_iteration} of ${state.max_iterations}`],
    ["Work", formatDuration(usage?.active_ms ?? 0)],
    ["Turns", (usage?.turns ?? 0).toLocaleString("en")],
    ["Tokens", (usage?.total_tokens ?? 0).toLocaleString("en")],
    ["Money", usage?.cost_usd === undefined ? "not told" : dollars(usage.cost_usd)],
    ["Agent", settings?.agent ?? agent?.driver ?? "the usual one"],
    ["Model", settings?.model ?? "the agent's own"],
    ["Begun", `${state.created_at.slice(0, 16).replace("T", " ")} UTC`],
  ];
}

/** Every file that one of two loops changed, by its path, with what each did to it; empty where it did nothing. */
export function comparedFiles(
  a: LoopDiff["files"],
  b: LoopDiff["files"],
): { path: string; changes: [a: string, b: string] }[] {
  const [ofA, ofB] = [a, b].map(
    (files) =>
      new Map(
        fileRows(files).map(({ cells: [word, lines, path = ""] }) => [path, `${word} ${lines}`]),
      ),
  );
  const paths = [...new Set([...(ofA?.keys() ?? []), ...(ofB?.keys() ?? [])])].sort();
  return paths.map((path) => ({ path, changes: [ofA?.get(path) ?? "", ofB?.get(path) ?? ""] }));
}
