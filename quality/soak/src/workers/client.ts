import { type ErrorCode, isLoopError, type LoopCommand, type LoopState } from "@ccw-loop/core";
import { composed, reportingStore } from "./composition.ts";
import { sendToParent as send } from "./messages.ts";

/** What the process that started us may ask for, by messages. */
export interface Request {
  n: number;
  loop: string;
  command: LoopCommand;
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
  process.on("message", ({ n, loop, command }: Request) => {
    const called = now();
    service.send(loop, command).then(
      (state) => reply(n, called, { state }),
      (error: unknown) => {
        if (!isLoopError(error)) throw error;
        reply(n, called, { refused: error.code, message: error.message });
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
