import { once } from "node:events";
import type { LoopCommand } from "@ccw-loop/core";
import { type Started, start } from "./processes.ts";
import type { Reply, Request } from "./workers/client.ts";

/** A process of its own that does what an API server does. */
export interface Client {
  /** Resolves to null when the process was killed before it answered. */
  ask(loop: string, command: LoopCommand): Promise<Reply | null>;
  kill(): Promise<void>;
}

/** Starts a client; it is ready when this resolves. */
export async function startClient(program: string, root: string): Promise<Client> {
  const ready = Promise.withResolvers<void>();
  const started: Started = start({ program, role: "client", task: { root } }, (message) => {
    if (message.kind === "mark" && message.mark === "start") ready.resolve();
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
    ask(loop, command) {
      count += 1;
      const n = count;
      return new Promise((resolve) => {
        waiting.set(n, resolve);
        child.send({ n, loop, command } satisfies Request, (error) => {
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
