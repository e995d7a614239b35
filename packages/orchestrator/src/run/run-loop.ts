import { decide, type LoopCommand, LoopError, type LoopState } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { PromptLibrary } from "../prompts/library.ts";
import type { RunOptions } from "../service/loop-service.ts";
import { SessionKeeper } from "../turns/session-keeper.ts";
import type { RunContext } from "./context.ts";
import { Control } from "./control.ts";
import { drive } from "./drive.ts";
import { RecordedFeed } from "./feed.ts";
import { Recorder } from "./recorder.ts";

/** Claims a loop, starts or resumes it, drives it, and gives it back whatever happens. */
export async function runLoop(
  deps: OrchestratorDeps,
  id: string,
  options: RunOptions,
  steering: Map<string, (text: string) => Promise<void>>,
): Promise<LoopState> {
  const { store } = deps;
  const before = await store.read(id);
  requireOpen(before.state);
  const emit = options.onEvent ?? (() => undefined);
  const lease = await store.claim(id, deps.owner, deps.leaseTtlMs);
  const claimed = await store.read(id);
  const feed = new RecordedFeed(store, id, claimed.revision, (recorded) =>
    emit({ kind: "recorded", id, recorded }),
  );
  const recorder = new Recorder(store, lease, feed);
  const prompts = new PromptLibrary(deps.cwd);
  let sessions: SessionKeeper | undefined;
  let control: Control | undefined;
  try {
    await recorder.record((state) => {
      requireOpen(state);
      const command = opening(state);
      return command && decide(state, command, deps.clock.now().toISOString());
    });
    sessions = new SessionKeeper({
      agent: (state) => deps.agent(state.settings ?? {}),
      cwd: deps.cwd,
      instructions: await prompts.render("instructions", {}),
    });
    steering.set(id, (text) => steer(sessions, id, text));
    const workspace = await deps.workspace();
    for (;;) {
      control = new Control(deps, lease, feed, options.signal);
      const { choose } = options;
      const ctx: RunContext = { id, deps, control, recorder, sessions, workspace, choose, emit };
      const state = await drive(ctx, prompts, { waitForLimits: options.waitForLimits ?? true });
      await control.close();
      if (!resumedMeanwhile(state, control)) return state;
    }
  } finally {
    steering.delete(id);
    await sessions?.close();
    await control?.close();
    await store.release(lease);
    await feed.catchUp();
  }
}

/** Paused and resumed by somebody before we had let go: still ours to drive. */
function resumedMeanwhile(state: LoopState, control: Control): boolean {
  return state.status === "running" && !state.waiting && control.interruption?.kind === "status";
}

function requireOpen(state: LoopState): void {
  if (state.status !== "failed" && state.status !== "completed") return;
  throw new LoopError(
    "invalid_transition",
    `Loop ${state.loop_id} has ended (${state.status}${state.outcome ? `: ${state.outcome.code}` : ""}). ` +
      "Reopen it with: ccw-loop resume ID --reopen, and a higher limit or a new task.",
    { details: { status: state.status, outcome: state.outcome?.code ?? null } },
  );
}

function opening(state: LoopState): LoopCommand | null {
  if (state.status === "created") return { type: "start" };
  if (state.status === "paused" || state.status === "user_exit") return { type: "resume" };
  return null;
}

async function steer(sessions: SessionKeeper | undefined, id: string, text: string): Promise<void> {
  const session = sessions?.current;
  if (!session) throw new LoopError("invalid_input", `No turn of loop ${id} runs now.`);
  await session.steer(text);
}
