import { describe } from "vitest";
import { commitRules } from "./commit-rules.ts";
import type { OpenStore } from "./fixtures.ts";
import { leaseRules } from "./lease-rules.ts";
import { logRules } from "./log-rules.ts";
import { queryRules } from "./query-rules.ts";
import { removeRules } from "./remove-rules.ts";

/** The executable contract of `LoopStore`. An implementation is right when this suite passes. */
export function describeLoopStore(name: string, open: OpenStore): void {
  describe(`LoopStore contract: ${name}`, () => {
    commitRules(open);
    removeRules(open);
    queryRules(open);
    leaseRules(open);
    logRules(open);
  });
}
