import {
  type ErrorCode,
  isLoopError,
  type LoopCommand,
  type LoopService,
  type LoopState,
  type LoopStore,
} from "@ccw-loop/core";
import { composed, reportingStore } from "./composition.ts";
import { sendToParent as send } from "./messages.ts";

/** What the process that started us may ask for, by messages. */
export interface Request {
  n: number;
  loop: string;
  /** `advance` counts an iteration, as an orchestrator does; `run` drives the loop until it ends or is paused. */
  operation: { type: "command"; command: LoopCommand } | { type: "get" | "advance" | "run" };
}

/** Times are nanoseconds of the machine's monotonic clock, which all processes share. */
export interface Reply {
  n: number;
  called: number;
  returned: number;
  outcome: { state: LoopState } | { refused: ErrorCode; message: string };
}

/** Answers what it is asked, all requests side by side, until it is killed. */
export async function answerAll({ root }: { root: string }): Promise<void> {
  const store = reportingStore(root, send);
  const service = composed({ root, store, leaseTtlMs: 15_000, send });
  process.on("message", (request: Request) => {
    const called = now();
    handle(service, store, request).then(
      (state) => reply(request.n, called, { state }),
      (error: unknown) => {
        if (!isLoopError(error)) throw error;
        reply(request.n, called, { refused: error.code, message: error.message });
      },
    );
  });
  send({ kind: "mark", mark: "start" });
}

function reply(n: number, called: number, outcome: Reply["outcome"]): void {
  process.send?.({ n, called, returned: now(), outcome } satisfies Reply);
}

function now(): number {
  return Number(process.hrtime.bigint());
}

async function handle(
  service: LoopService,
  store: LoopStore,
  { loop, operation }: Request,
): Promise<LoopState> {
  switch (operation.type) {
    case "command":
      return service.send(loop, operation.command);
    case "get":
      return service.get(loop);
    case "run":
      return service.run(loop);
    case "advance":
      return advance(store, loop);
  }
}

async function advance(store: LoopStore, loop: string): Promise<LoopState> {
  for (;;) {
    const { revision } = await store.read(loop);
    const at = new Date().toISOString();
    const facts = { task_id: null, message: "", code: "action_failed", active_ms: 0 };
    const event = { type: "action.failed" as const, at, action: "VALIDATE" as const, ...facts };
    try {
      return (await store.append(loop, revision, [event], { actor: "soak" })).state;
    } catch (error) {
      if (!isLoopError(error, "revision_conflict")) throw error;
    }
  }
}
