import { type LoopCommand, LoopError, type LoopState } from "@ccw-loop/core";
import { Hono } from "hono";
import { ifMatchRevision, NO_REVISION, preconditionFailed } from "../app/request-conditions.ts";
import { type AppDeps, OneLoop, sendBound, serveOperation } from "../app/serve-operation.ts";
import {
  patchStatus,
  pauseLoop,
  resumeLoop,
  sendCommand,
  sendInput,
  startLoop,
  steerLoop,
  stopLoop,
} from "../contract/commands.ts";

export function commandRoutes(deps: AppDeps): Hono {
  const { service } = deps;
  const app = new Hono();

  serveOperation(app, deps, patchStatus, async (asked) => {
    const { id, body } = asked;
    const command = commandFor(body.status, await service.get(id));
    return new OneLoop(await sendBound(deps, asked, id, command));
  });

  serveOperation(app, deps, startLoop, async (asked) => {
    return new OneLoop(await sendBound(deps, asked, asked.id, { type: "start" }), "Loop started");
  });

  serveOperation(app, deps, pauseLoop, async (asked) => {
    const state = await sendBound(deps, asked, asked.id, { type: "pause", ...asked.body });
    return new OneLoop(state, "Loop paused");
  });

  serveOperation(app, deps, resumeLoop, async (asked) => {
    const state = await sendBound(deps, asked, asked.id, { type: "resume", ...asked.body });
    return new OneLoop(state, "Loop resumed");
  });

  serveOperation(app, deps, stopLoop, async (asked) => {
    const state = await sendBound(deps, asked, asked.id, { type: "stop", ...asked.body });
    return new OneLoop(state, "Loop stopped");
  });

  serveOperation(app, deps, sendCommand, async (asked) => {
    return new OneLoop(await sendBound(deps, asked, asked.id, asked.body));
  });

  serveOperation(app, deps, sendInput, async (asked) => {
    return new OneLoop(await sendBound(deps, asked, asked.id, asked.body));
  });

  serveOperation(app, deps, steerLoop, async ({ id, request, body }) => {
    // What an agent is told is no commit that could decide it.
    const revision = await ifMatchRevision(request, () => service.get(id));
    if (revision === NO_REVISION) throw preconditionFailed();
    await service.steer(id, body.text);
    return { message: "The agent was told" };
  });

  return app;
}

/** The command that leads a loop to the wished status. Throws `invalid_transition` where none does. */
export function commandFor(
  wished: LoopState["status"],
  { status }: Pick<LoopState, "status">,
): LoopCommand {
  switch (wished) {
    case "running":
      return { type: status === "created" ? "start" : "resume" };
    case "paused":
      return { type: "pause" };
    case "failed":
      return { type: "stop" };
    case "user_exit":
      return { type: "exit" };
    case "completed":
      throw refused(status, "A loop is completed by a passing test run alone, never by a request.");
    case "created":
      throw refused(status, "A loop does not become new again. Fork it, or create another one.");
  }
}

function refused(status: LoopState["status"], sentence: string): LoopError {
  return new LoopError("invalid_transition", sentence, { details: { status } });
}
