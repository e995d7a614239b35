import { realpathSync } from "node:fs";
import { LoopError } from "@ccw-loop/core";

/** Names the project whose loop is driven here; every command and test that the loop starts inherits it. */
const DRIVES = "CCW_LOOP_DRIVES";

/** What only looks may be called from anywhere. */
const LOOKING: ReadonlySet<string> = new Set([
  ...["list", "show", "why", "logs", "watch", "timeline", "diff", "verify"],
  ...["tasks list", "doctor", "config show", "completion", "demo"],
]);

/** Marks this process as one that drives loops of `root`, until it is disposed. */
export function driving(root: string): Disposable {
  const before = process.env[DRIVES];
  process.env[DRIVES] = realpathSync(root);
  return {
    [Symbol.dispose]() {
      if (before === undefined) delete process.env[DRIVES];
      else process.env[DRIVES] = before;
    },
  };
}

/**
 * Refuses an operator's command that comes from inside of a turn or a test run of the same project: it would be the
 * agent's word (ADR 12). Throws `invalid_transition`.
 */
export function requireOperator(
  env: Readonly<Record<string, string | undefined>>,
  root: string,
  command: string,
): void {
  if (env[DRIVES] === undefined || LOOKING.has(command)) return;
  if (env[DRIVES] !== realpathSync(root)) return;
  throw new LoopError(
    "invalid_transition",
    `${command} comes from inside of a loop of ${root}; only its operator may change it. Call it in another terminal.`,
  );
}
