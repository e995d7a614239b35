import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty project folder that is gone after the test. */
export function makeProject(): string {
  const root = mkdtempSync(join(tmpdir(), "store-fs-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}
