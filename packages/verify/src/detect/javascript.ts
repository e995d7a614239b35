import { type Detector, findFile, firstFile } from "./detector.ts";
import { planOf } from "./plan.ts";
import { type PackageJson, readPackage } from "./scripts.ts";

/** A runner that the package names or configures, although it has no test script. */
export const javascript: Detector = async (cwd) => {
  const found = readPackage(cwd);
  const sourceOf = (runner: string, ...configs: string[]) =>
    firstFile(cwd, configs) ??
    (found !== undefined && dependsOn(found, runner) ? "package.json" : undefined);

  const vitest = sourceOf("vitest", ...configs("vitest"));
  if (vitest) return planOf("vitest run", vitest, "vitest");
  const jest = sourceOf("jest", ...configs("jest"));
  if (jest) return planOf("jest", jest, "jest");
  const mocha = sourceOf("mocha", ...MOCHA);
  if (mocha) return planOf("mocha", mocha, "mocha");
  const ava = sourceOf("ava", "ava.config.js", "ava.config.mjs", "ava.config.cjs");
  if (ava) return planOf("ava", ava, "ava");
  const bun = await findFile(cwd, BUN_FILE, /["']bun:test["']/);
  if (bun !== null) return planOf("bun test", bun, "bun");
  const node = await findFile(cwd, NODE_FILE, /["']node:test["']/);
  if (node !== null) return planOf("node --test", node, "node-test");
  const playwright = sourceOf("@playwright/test", ...configs("playwright"));
  return playwright ? planOf("playwright test", playwright, "playwright") : null;
};

/** What each of the two looks for by itself. */
const BUN_FILE = /[._](test|spec)\.[cm]?[jt]sx?$/;
const NODE_FILE =
  /(^|[./_-])test\.[cm]?[jt]s$|(^|\/)test-[^/]*\.[cm]?[jt]s$|(^|\/)test\/.*\.[cm]?[jt]s$/;
const MOCHA = ["js", "cjs", "mjs", "json", "jsonc", "yaml", "yml"].map((end) => `.mocharc.${end}`);

function configs(name: string): string[] {
  return ["ts", "mts", "cts", "js", "mjs", "cjs", "json"].map((end) => `${name}.config.${end}`);
}

function dependsOn({ dependencies, devDependencies }: PackageJson, name: string): boolean {
  return name in dependencies || name in devDependencies;
}
