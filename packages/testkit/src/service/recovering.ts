import { describe, expect, it } from "vitest";
import type { WithService } from "./harness.ts";

export function describeRecover(withService: WithService): void {
  describe("recover", () => {
    it("says what it would do, and does nothing when that is all it is asked for", () =>
      withService(async ({ service, make }) => {
        const made = await make({ id: "a" });
        const plan = await service.recover("a", { dryRun: true });
        expect(plan).toMatchObject({ source: "journal", unknown: [], state: { loop_id: "a" } });
        expect(await service.get("a")).toEqual(made);
      }));
  });
}
