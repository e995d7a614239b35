import {
  type DevelopTask,
  InitUpdates,
  LoopError,
  type LoopState,
  limitsOf,
  outputSchemaFor,
  type ProcessScope,
  parseActionResult,
  type TaskRequest,
  tasksOf,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { PromptLibrary } from "../prompts.ts";
import { underLease } from "../run/lease.ts";
import { folderOf } from "../run/place.ts";
import { addOnce, type TaskDraft } from "./add-tasks.ts";

/** See `LoopService.generateTasks`. One turn, no longer than a turn of the loop may take. */
export async function generateTasks(
  deps: OrchestratorDeps,
  id: string,
  { count, signal, ...options }: TaskRequest,
): Promise<DevelopTask[]> {
  if (count !== undefined && !(Number.isInteger(count) && count > 0)) {
    throw new LoopError("invalid_input", `count must be a positive integer, not ${count}.`);
  }
  return addOnce(deps, id, options, async (state) => {
    const text = await withinTurn(deps, state, signal, (either) => ask(deps, state, count, either));
    return draftsOf(text).slice(0, count);
  });
}

/** Ends the work when the caller no longer wants it, or when it takes longer than a turn of the loop may. */
async function withinTurn<T>(
  { clock }: OrchestratorDeps,
  state: LoopState,
  signal: AbortSignal | undefined,
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new LoopError("agent_timeout", "The agent took too long to propose tasks.");
  const timeout = new AbortController();
  const timer = new AbortController();
  void clock.sleep(limitsOf(state).turn_timeout_ms, timer.signal).then(() => {
    if (!timer.signal.aborted) timeout.abort(late);
  });
  try {
    return await work(AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]));
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
  const cwd = await folderOf(deps, state);
  const prompts = new PromptLibrary(deps.cwd, deps.files);
  const agent = await deps.agent(state.settings ?? {});
  const session = await agent.open({
    cwd,
    scope: await scopeFor(deps, state.loop_id),
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

/** The newest lease: whoever claims the loop later ends what still works here, for it may change files. */
async function scopeFor(deps: OrchestratorDeps, loop: string): Promise<ProcessScope> {
  const lease = await deps.store.leaseOf(loop);
  if (lease?.living) return { loop, epoch: lease.epoch };
  return underLease(deps, loop, async ({ scope }) => scope);
}

function listed({ status, description }: DevelopTask): string {
  return `- (${status}) ${description}`;
}

function draftsOf(text: string): TaskDraft[] {
  const parsed = parseActionResult(text);
  const updates = parsed.ok ? InitUpdates.safeParse(parsed.result.state_updates) : null;
  if (parsed.ok && parsed.result.status === "success" && updates?.success) {
    return updates.data.tasks.map(({ description, command }) => ({
      // It is an agent's: text, until an operator names it.
      description: command === undefined ? description : `${description}\n\nCommand: ${command}`,
      mode: "write",
    }));
  }
  throw new LoopError(
    "agent_bad_result",
    `No valid tasks generated: ${parsed.ok ? parsed.result.message : parsed.problem}`,
    { details: { text: text.slice(0, 4000) } },
  );
}
