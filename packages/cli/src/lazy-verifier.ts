import type { Verifier } from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import { once } from "./once.ts";

/** The verifier, loaded when tests are first looked for. */
export function lazyVerifier(
  processes: () => Promise<Processes>,
  hidden: readonly string[],
): Verifier {
  const real = once(async () => {
    const { verifier } = await import("@ccw-loop/verify");
    return verifier({ processes: await processes(), hidden });
  });
  return {
    detect: async (...args) => (await real()).detect(...args),
    verify: async (...args) => (await real()).verify(...args),
    check: async (...args) => (await real()).check(...args),
    probe: async (...args) => (await real()).probe(...args),
    missing: async (...args) => (await real()).missing(...args),
    surroundingsChanged: async (...args) => (await real()).surroundingsChanged(...args),
  };
}
