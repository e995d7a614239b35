import {
  type DevelopTask,
  InitUpdates,
  LoopError,
  type LoopState,
  limitsOf,
  outputSchemaFor,
  parseActionResult,
  type TaskRequest,
  tasksOf,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../../deps.ts";
import { PromptLibrary } from "../../prompts/library.ts";
import { loopFolder } from "../../run/loop-folder.ts";
import { hex } from "../new-loop.ts";
import { addTasks, type TaskDraft, tasksOfOperation } from "./add-tasks.ts";

/** See `LoopService.generateTasks`. One turn, no longer than a turn of the loop may take. */
export async function generateTasks(
  deps: OrchestratorDeps,
  id: string,
  { opId = hex() + hex(), count, signal }: TaskRequest,
): Promise<DevelopTask[]> {
  if (count !== undefined && !(Number.isInteger(count) && count > 0)) {
    throw new LoopError("invalid_input", `count: ${count} is no whole number from 1 on.`);
  }
  const { state } = await deps.store.read(id);
  const before = await tasksOfOperation(deps, id, opId);
  if (before.length > 0) return before;
  const late = new LoopError("agent_timeout", "The agent took too long to think of tasks.");
  const timeout = new AbortController();
  const timer = new AbortController();
  void deps.clock.sleep(limitsOf(state).turn_timeout_ms, timer.signal).then(() => {
    if (!timer.signal.aborted) timeout.abort(late);
  });
  const either = AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]);
  try {
    const drafts = draftsOf(await ask(deps, state, count, either), state);
    return await addTasks(deps, id, drafts.slice(0, count), opId);
  } finally {
    timer.abort();
  }
}

/** The agent's final message, from a conversation of its own. */
async function ask(
  deps: OrchestratorDeps,
  state: LoopState,
  count: number | undefined,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const cwd = await loopFolder(deps, state.loop_id);
  const prompts = new PromptLibrary(deps.cwd, deps.files);
  const agent = await deps.agent(state.settings ?? {});
  const session = await agent.open({
    cwd,
    signal,
    instructions: await prompts.render("instructions", {}),
    model: state.settings?.model,
  });
  try {
    const prompt = await prompts.render("generate", {
      title: state.title,
      description: state.description || state.title,
      tasks: tasksOf(state).map(listed).join("\n") || "(none)",
      count: count === undefined ? "" : `Name ${count} at most.`,
    });
    const options = { outputSchema: outputSchemaFor("INIT"), signal };
    return (await session.run(prompt, options)).text;
  } finally {
    await session.close();
  }
}

function listed({ status, description }: DevelopTask): string {
  return `- (${status}) ${description}`;
}

function draftsOf(text: string, { settings }: LoopState): TaskDraft[] {
  const parsed = parseActionResult(text);
  const updates = parsed.ok ? InitUpdates.safeParse(parsed.result.state_updates) : null;
  if (parsed.ok && parsed.result.status === "success" && updates?.success) {
    const tool = settings?.agent?.split(":", 1)[0] ?? "codex";
    return updates.data.tasks.map(({ description }) => ({ description, tool, mode: "write" }));
  }
  throw new LoopError(
    "agent_bad_result",
    `No valid tasks generated: ${parsed.ok ? parsed.result.message : parsed.problem}`,
    { details: { text: text.slice(0, 4000) } },
  );
}
