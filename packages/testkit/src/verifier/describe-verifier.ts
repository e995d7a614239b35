import type { Verifier } from "@ccw-loop/core";
import { describe } from "vitest";
import { describeChains } from "./chains.ts";
import { describeEnding } from "./ending.ts";
import { describeJudging } from "./judging.ts";
import { describeLooking } from "./looking.ts";

/**
 * Executable contract of core's `Verifier`. `open` answers with a fresh verifier that runs commands on this
 * machine, where `node` is on the PATH.
 */
export function describeVerifier(name: string, open: () => Promise<Verifier>): void {
  describe(`Verifier contract: ${name}`, () => {
    describeJudging(open);
    describeChains(open);
    describeLooking(open);
    describeEnding(open);
  });
}
