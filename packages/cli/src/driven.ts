import { realpathSync } from "node:fs";
import { LoopError } from "@ccw-loop/core";

/** Names the projects whose loops are driven here, one a line; every command and test that a loop starts inherits it. */
const DRIVES = "CCW_LOOP_DRIVES";

/** What only looks may be called from anywhere. */
const LOOKING: ReadonlySet<string> = new Set([
  ...["list", "show", "why", "logs", "watch", "timeline", "diff", "verify"],
  ...["tasks list", "doctor", "config show", "completion", "__complete", "demo"],
]);

/** Marks this process as one that drives loops of these projects, until it is disposed. */
export function driving(...roots: string[]): Disposable {
  const before = process.env[DRIVES];
  process.env[DRIVES] = roots.map((root) => realpathSync(root)).join("\n");
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
  if (!env[DRIVES].split("\n").includes(realpathSync(root))) return;
  throw new LoopError(
    "invalid_transition",
    `${command} comes from inside of a loop of ${root}; only its operator may change it. Call it in another terminal.`,
  );
}
