import type { Verifier } from "@ccw-loop/core";
import { type Processes, processes } from "@ccw-loop/processes";
import { detect, missingFor, runPlan } from "@ccw-loop/test-runner";
import { surroundingsSince } from "@ccw-loop/test-runner/clean-room";
import { probe } from "@ccw-loop/test-runner/process";
import { check } from "./check.ts";

export interface VerifierOptions {
  /** Variables for the tests beside those of the allow-list. */
  env?: Readonly<Record<string, string>>;
  /** Patience between TERM and KILL; 2 seconds. */
  graceMs?: number;
  /** Folders that tests in clean rooms do not see, where bubblewrap works: where keys and tokens lie. */
  hidden?: readonly string[];
  /** Where what it starts is registered; nowhere unless given. */
  processes?: Processes;
}

/** The project's own tests, found and run on this machine. */
export function verifier({
  env = {},
  graceMs = 2000,
  hidden = [],
  processes: registry = processes(),
}: VerifierOptions = {}): Verifier {
  const settings = { env, graceMs, hidden, processes: registry };
  return {
    detect,
    verify: (plan, options) => runPlan(plan, options, settings),
    check: (plan, options) => check(plan, options, settings),
    missing: async (plan, cwd, run) => missingFor(plan, cwd, run, env),
    probe: (command, options) => probe(command, options, settings),
    surroundings: (cwd, since) => surroundingsSince(cwd, since, env),
  };
}
