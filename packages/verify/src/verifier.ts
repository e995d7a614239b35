import type { Verifier } from "@ccw-loop/core";
import { detect } from "./detect/detect.ts";
import { inspect } from "./inspect/inspect.ts";
import { probe } from "./probe.ts";
import { verify } from "./verify.ts";

export interface VerifierOptions {
  /** Variables for the tests beside the allow-list of `testEnvironment`. */
  env?: Readonly<Record<string, string>>;
  /** Patience between TERM and KILL; 2 seconds. */
  graceMs?: number;
}

/** The project's own tests, found and run on this machine. */
export function verifier({ env = {}, graceMs = 2000 }: VerifierOptions = {}): Verifier {
  const settings = { env, graceMs };
  return {
    detect,
    verify: (plan, options) => verify(plan, options, settings),
    inspect,
    probe: (command, options) => probe(command, options, settings),
  };
}
