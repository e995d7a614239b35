import { join } from "node:path";
import type { RunContext } from "../run/context.ts";
import type { Execution } from "./action.ts";
import { baselineText } from "./test-texts.ts";

const PROJECT_FILES = ["project-tech.json", "project-guidelines.json"];

/** The placeholders that every action prompt may use: names and paths, not contents. */
export async function contextValues(execution: Execution): Promise<Record<string, string>> {
  const { ctx, state } = execution;
  const progress = ctx.deps.store.progressDir(ctx.id);
  const files = await existing(
    ctx,
    PROJECT_FILES.map((name) => join(".workflow", name)),
  );
  return {
    loop_id: ctx.id,
    title: state.title,
    description: state.description || state.title,
    state_file: progress.replace(/\.progress$/, ".json"),
    progress_dir: progress,
    project_files: files.length === 0 ? "" : `Read first: ${files.join(", ")}`,
    interrupted: interruptedNote(execution),
    baseline: baselineText(state),
  };
}

/** What earlier turns found out and the agent must not find out again. */
export function knowledge({ state }: Execution): string {
  const debug = state.skill_state?.debug;
  if (!debug) return "";
  const lines: string[] = [];
  const confirmed = debug.hypotheses.find((h) => h.id === debug.confirmed_hypothesis);
  if (confirmed) lines.push(`Confirmed cause (${confirmed.id}): ${confirmed.description}`);
  for (const h of debug.hypotheses) {
    if (h.id === confirmed?.id || h.status === "pending") continue;
    const reason = h.verdict_reason ? ` (${h.verdict_reason})` : "";
    lines.push(`${h.status} ${h.id}: ${h.description}${reason}`);
  }
  return lines.length === 0 ? "" : `What is known:\n${lines.map((l) => `- ${l}`).join("\n")}\n`;
}

function interruptedNote({ state }: Execution): string {
  const action = state.action;
  if (!action) return "";
  const answer =
    action.answer === undefined ? "" : `A person answered your question: ${action.answer}\n`;
  if (action.attempt === 1) return answer;
  return `${answer}This action was begun before and cut off. The files are as they were left then: look at them first.\n`;
}

async function existing({ cwd, deps }: RunContext, paths: string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => ((await deps.files.exists(join(cwd, path))) ? [path] : [])),
  );
  return found.flat();
}
