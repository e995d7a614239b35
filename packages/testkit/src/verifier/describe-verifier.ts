import type { Verifier } from "@ccw-loop/core";
import { describe } from "vitest";
import { describeChains } from "./chains.ts";
import { describeProcessEnd } from "./ending.ts";
import { describeVerdicts } from "./judging.ts";
import { describeProbes } from "./looking.ts";

/**
 * Executable contract of core's `Verifier`. `open` answers with a fresh verifier that runs commands on this
 * machine, where `node` is on the PATH.
 */
export function describeVerifier(name: string, open: () => Promise<Verifier>): void {
  describe(`Verifier contract: ${name}`, () => {
    describeVerdicts(open);
    describeChains(open);
    describeProbes(open);
    describeProcessEnd(open);
  });
}
