import { type LoopCommand, LoopError, type LoopState } from "@ccw-loop/core";
import { NO_REVISION, preconditionFailed } from "../app/request-conditions.ts";
import type { AppDeps, Handlers } from "../app/serve-operation.ts";
import type { COMMANDS } from "../contract/commands.ts";

export function commandHandlers({ service }: AppDeps): Handlers<typeof COMMANDS> {
  return {
    patchStatus: async ({ id, body, send }) => ({
      data: await send(commandFor(body.status, await service.get(id))),
    }),
    startLoop: async ({ send }) => ({
      data: await send({ type: "start" }),
      message: "Loop started",
    }),
    pauseLoop: async ({ body, send }) => ({
      data: await send({ type: "pause", ...body }),
      message: "Loop paused",
    }),
    resumeLoop: async ({ body, send }) => ({
      data: await send({ type: "resume", ...body }),
      message: "Loop resumed",
    }),
    stopLoop: async ({ body, send }) => ({
      data: await send({ type: "stop", ...body }),
      message: "Loop stopped",
    }),
    sendCommand: async ({ body, send }) => ({ data: await send(body) }),
    sendInput: async ({ body, send }) => ({ data: await send(body) }),
    async steerLoop({ id, body, revision }) {
      // What an agent is told is no commit that could decide it.
      if ((await revision()) === NO_REVISION) throw preconditionFailed();
      await service.steer(id, body.text);
      return { message: "The agent was told" };
    },
  };
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
