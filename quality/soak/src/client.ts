import { once } from "node:events";
import type { LoopCommand, LoopState } from "@ccw-loop/core";
import { type Started, start } from "./processes.ts";
import type { Reply, Request } from "./workers/client.ts";
import type { WorkerMessage } from "./workers/messages.ts";

/** A process of its own that does what an API server does. */
export interface Client {
  /** Resolves to null when the process was killed before it answered. */
  ask(loop: string, operation: Request["operation"]): Promise<Reply | null>;
  kill(): Promise<void>;
}

/** Starts a client; it is ready when this resolves. */
export async function startClient(
  program: string,
  root: string,
  onMessage: (message: WorkerMessage) => void,
): Promise<Client> {
  const ready = Promise.withResolvers<void>();
  const started: Started = start({ program, role: "client", task: { root } }, (message) => {
    if (message.kind === "mark" && message.mark === "start") ready.resolve();
    onMessage(message);
  });
  const { child, gone, complaint } = started;
  const waiting = new Map<number, (reply: Reply | null) => void>();
  child.on("message", (reply: Reply) => {
    waiting.get(reply.n)?.(reply);
    waiting.delete(reply.n);
  });
  void gone.then(({ signal }) => {
    if (signal !== "SIGKILL") ready.reject(new Error(`A client ended by itself: ${complaint()}`));
    for (const settle of waiting.values()) settle(null);
  });
  await ready.promise;
  let count = 0;
  return {
    ask(loop, operation) {
      count += 1;
      const n = count;
      return new Promise((resolve) => {
        waiting.set(n, resolve);
        child.send({ n, loop, operation } satisfies Request, (error) => {
          if (error) resolve(null);
        });
      });
    },
    async kill() {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, "exit");
        child.kill("SIGKILL");
        await exit;
      }
      await gone;
    },
  };
}

/** The state that a command made; throws what it was refused with. */
export async function sent(client: Client, loop: string, command: LoopCommand): Promise<LoopState> {
  return stateOf(await client.ask(loop, { type: "command", command }));
}

export async function got(client: Client, loop: string): Promise<LoopState> {
  return stateOf(await client.ask(loop, { type: "get" }));
}

export function stateOf(reply: Reply | null): LoopState {
  if (reply === null) throw new Error("The client was killed before it answered.");
  if ("state" in reply.outcome) return reply.outcome.state;
  throw new Error(`${reply.outcome.refused}: ${reply.outcome.message}`);
}

export function isDone(reply: Reply | null): boolean {
  return reply !== null && "state" in reply.outcome;
}

/** By the rules of the state machine; any other refusal is a failure. */
export function isRefused(reply: Reply | null): boolean {
  return (
    reply !== null && "refused" in reply.outcome && reply.outcome.refused === "invalid_transition"
  );
}
