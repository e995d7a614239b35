import { LoopError } from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import type { Steering } from "../run/run-loop.ts";
import type { SuperviseOptions } from "../service/local-loops.ts";
import { Supervisor } from "./supervisor.ts";

export async function supervise(
  deps: OrchestratorDeps,
  steering: Steering,
  options: SuperviseOptions,
): Promise<void> {
  const { concurrency = 4 } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new LoopError(
      "invalid_input",
      `A supervisor cannot drive ${concurrency} loops at once; give it a whole number from 1 on.`,
    );
  }
  await new Supervisor(deps, steering, { ...options, concurrency }).run();
}
