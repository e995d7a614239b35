import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("a Node that is too old is told which one is needed, before a library fails", () => {
  const index = new URL("../src/index.ts", import.meta.url).href;
  // What such a Node lacks.
  const script = `delete Set.prototype.union; await import(${JSON.stringify(index)});`;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(run.status).toBe(1);
  expect(run.stderr).toContain("@ccw-loop/orchestrator needs Node 24.15 or newer");
});
