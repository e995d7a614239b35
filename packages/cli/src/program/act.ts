import type { Command } from "commander";
import type { Io } from "../io.ts";
import type { Handler } from "../perform.ts";

/**
 * Makes the action of a command from a handler that is imported when it is needed. The handler gets the
 * command's arguments and then its options, as commander parsed them.
 */
export type CommandAction = <A extends unknown[]>(
  load: () => Promise<Handler<A>>,
) => (this: Command, ...args: A) => Promise<void>;

/** Every action ends by telling its exit code. */
export function commandActions(io: Io, tellExit: (code: number) => void): CommandAction {
  return (load) =>
    async function (...args) {
      const [{ perform }, handler] = await Promise.all([import("../perform.ts"), load()]);
      tellExit(await perform(handler, args, { command: this, io }));
    };
}
