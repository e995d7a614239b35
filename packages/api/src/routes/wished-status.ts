import { type LoopCommand, LoopError, type LoopState } from "@ccw-loop/core";

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
