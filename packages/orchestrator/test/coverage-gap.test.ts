import type { LoopState, Verification } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { coverageGap } from "../src/proof/objections.ts";
import type { RunContext } from "../src/run/context.ts";

const changed = (path: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,0 +1,2 @@\n+one\n+two\n`;

test("changed lines are those of the project, also where that is a subfolder of the repository", async () => {
  const patch = changed("app/a.js") + changed("a.js");
  const workspace = { lacks: [], diff: async () => ({ files: [], patch, prefix: "app/" }) };
  const state = {
    settings: { no_coverage_drop: true },
    baseline: { coverage: 90 },
    checkpoints: [{ n: 0, action: null, commit: "start" }],
  };
  const run = {
    coverage: 95,
    coverage_files: [{ path: "a.js", lines: 50, hit: [1], missed: [2] }],
  };
  const gap = await coverageGap(
    { workspace } as unknown as RunContext,
    state as unknown as LoopState,
    run as unknown as Verification,
    "now",
  );
  expect(gap).toContain("50 % of the changed lines are covered");
  expect(gap).toContain("a.js:2");
});
