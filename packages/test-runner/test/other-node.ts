import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeEach, onTestFinished } from "vitest";

/** What Node 20 lacks of what programs of ours use. */
const MISSING = `delete require("node:module").registerHooks;
delete process.getBuiltinModule;
delete require("node:module").stripTypeScriptTypes;
`;

/** Puts a shell script first on PATH as `node`, until the test ends; it is made from the words that start the real one. */
export function installNode(script: (real: string, folder: string) => string): void {
  const path = process.env.PATH ?? "";
  const real = execFileSync("sh", ["-c", "command -v node"], { encoding: "utf8" }).trim();
  const folder = mkdtempSync(join(tmpdir(), "ccw-loop-other-node-"));
  onTestFinished(() => {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, "node");
  writeFileSync(file, `#!/bin/sh\n${script(`'${real}'`, folder)}\n`);
  chmodSync(file, 0o755);
  process.env.PATH = [folder, path].join(delimiter);
}

/** All tests of this group have a Node before 22.15. */
export function withOldNode(): void {
  beforeEach(() =>
    installNode((real, folder) => {
      const file = join(folder, "missing.cjs");
      writeFileSync(file, MISSING);
      // In front of what the tests' own options load.
      return `NODE_OPTIONS="--require ${file} $NODE_OPTIONS" exec ${real} "$@"`;
    }),
  );
}
