import { join } from "node:path";
import { clip, type DevelopTask, LoopError, LoopId, type SendOptions } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../../deps.ts";
import { addOnce } from "./add-tasks.ts";
import { objectsOf, solutionTasks, type TaskDraft } from "./issue-tasks.ts";

/** See `LoopService.importTasks`. Open issues are looked at first, then those that are history. */
export async function importTasks(
  deps: OrchestratorDeps,
  id: string,
  issue: string,
  options: SendOptions,
): Promise<DevelopTask[]> {
  return addOnce(deps, id, options, () => tasksOfIssue(deps, issue));
}

async function tasksOfIssue(deps: OrchestratorDeps, issue: string): Promise<TaskDraft[]> {
  const folder = join(deps.cwd, ".workflow", "issues");
  const read = async (...path: string[]) => objectsOf(await textOf(deps, join(folder, ...path)));
  const issues = LoopId.safeParse(issue).success
    ? [...(await read("issues.jsonl")), ...(await read("issue-history.jsonl"))]
    : [];
  const found = issues.find((one) => one.id === issue);
  if (!found) throw new LoopError("issue_not_found", `Issue ${clip(issue, 200)} not found`);
  const drafts = solutionTasks(found, await read("solutions", `${issue}.jsonl`));
  if (drafts.length === 0) {
    throw new LoopError(
      "invalid_input",
      "No tasks found in issue. Bind a solution with tasks first.",
      { details: { issue } },
    );
  }
  return drafts;
}

async function textOf({ files }: OrchestratorDeps, path: string): Promise<string> {
  try {
    return (await files.text(path)) ?? "";
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LoopError("invalid_input", `${path} cannot be read: ${reason}`, { cause: error });
  }
}
