/** @module-tag slow */
/** `npm run new-package`, on a copy of this checkout with packages of its own. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = dirname(import.meta.dirname);

function copyOfCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), "ccw-new-package-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }));
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", listed, { cwd: root, encoding: "utf8" }).split("\0");
  for (const file of files) {
    const from = join(root, file);
    if (file !== "" && existsSync(from)) cpSync(from, join(copy, file), { verbatimSymlinks: true });
  }
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  return copy;
}

test("one command makes a package that is installed, built, tested and well formed", {
  timeout: 600_000,
}, () => {
  const copy = copyOfCheckout();
  const run = (...args: string[]) => {
    const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };
    return spawnSync("node", ["scripts/x.mjs", ...args], { cwd: copy, env, encoding: "utf8" });
  };
  const read = (file: string) => readFileSync(join(copy, file), "utf8");

  const made = run("new-package", "agent-mine", "drives my own agent");
  expect(made.status, made.stdout + made.stderr).toBe(0);
  expect(made.stdout).toMatch(/Tests +1 passed/);
  expect(read("pnpm-lock.yaml")).toContain("\n  packages/agent-mine:\n");
  expect(read("tsconfig.json")).toContain('"packages/agent-mine/test"');
  expect(read("ARCHITECTURE.md")).toContain(
    "| [`@ccw-loop/agent-mine`](packages/agent-mine) | drives my own agent |",
  );
  expect(existsSync(join(copy, "packages/agent-mine/dist/index.d.ts"))).toBe(true);

  const checks = [
    ["pnpm", "install", "--frozen-lockfile", "--loglevel=error"],
    ["pnpm", "exec", "biome", "ci", "packages/agent-mine", "tsconfig.json"],
    ["pnpm", "exec", "knip"],
  ];
  for (const check of checks) {
    const { status, stdout, stderr } = run("exec", ...check);
    expect(status, `${check.join(" ")}\n${stdout}${stderr}`).toBe(0);
  }

  for (const name of ["agent-mine", "tui", "Agent", "../evil", ""]) {
    const before = read("tsconfig.json");
    const again = run("new-package", name);
    expect([name, again.status]).toEqual([name, 2]);
    expect(again.stderr).toContain("Usage: npm run new-package");
    expect(read("tsconfig.json")).toBe(before);
  }
});
