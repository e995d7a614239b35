import type { Folder } from "./folder.ts";
import { type PackageJson, readPackage } from "./scripts.ts";
import type { Detector } from "./suite.ts";

/** A runner that the package names or configures, although it has no test script. */
export const javascript: Detector = (folder) => {
  const found = readPackage(folder.path);
  const isPackages = found?.workspaces !== undefined || folder.first(["pnpm-workspace.yaml"]);
  // Its packages have scripts of their own, and a runner among its dependencies is theirs.
  if (isPackages && hasScriptsBelow(folder)) return [];
  const sourceOf = (runner: string, ...configs: string[]) =>
    folder.first(configs) ??
    (found !== undefined && dependsOn(found, runner) ? "package.json" : undefined);

  const vitest = sourceOf("vitest", ...configs("vitest"));
  if (vitest) return [{ command: "vitest run", source: vitest, report: "vitest" }];
  const jest = sourceOf("jest", ...configs("jest"));
  if (jest) return [{ command: "jest", source: jest, report: "jest" }];
  const mocha = sourceOf("mocha", ...MOCHA);
  if (mocha) return [{ command: "mocha", source: mocha, report: "mocha" }];
  const ava = sourceOf("ava", "ava.config.js", "ava.config.mjs", "ava.config.cjs");
  if (ava) return [{ command: "ava", source: ava, report: "ava" }];
  const tap = sourceOf("tap", ".taprc");
  if (tap) return [{ command: "tap", source: tap, report: "tap" }];
  if (sourceOf("tape") && folder.find(TAPE_FILE, /["']tape["']/) !== null) {
    return [{ command: "tape 'test/**/*.js'", source: "package.json", report: "tape" }];
  }
  const uvu = sourceOf("uvu") && folder.first(["test", "tests"]);
  if (uvu) return [{ command: `uvu ${uvu}`, source: "package.json", report: "uvu" }];
  const bun = folder.find(BUN_FILE, /["']bun:test["']/);
  if (bun !== null) return [{ command: "bun test", source: bun, report: "bun" }];
  const node = folder.find(NODE_FILE, /["']node:test["']/);
  if (node !== null) return [{ command: "node --test", source: node, report: "node-test" }];
  const playwright = sourceOf("@playwright/test", ...configs("playwright"));
  if (playwright === undefined) return [];
  return [{ command: "playwright test", source: playwright, report: "playwright" }];
};

/** What each of the two looks for by itself. */
const BUN_FILE = /[._](test|spec)\.[cm]?[jt]sx?$/;
const NODE_FILE =
  /(^|[./_-])test\.[cm]?[jt]s$|(^|\/)test-[^/]*\.[cm]?[jt]s$|(^|\/)test\/.*\.[cm]?[jt]s$/;
const TAPE_FILE = /^test\/.*\.js$/;
const MOCHA = ["js", "cjs", "mjs", "json", "jsonc", "yaml", "yml"].map((end) => `.mocharc.${end}`);

function configs(name: string): string[] {
  return ["ts", "mts", "cts", "js", "mjs", "cjs", "json"].map((end) => `${name}.config.${end}`);
}

function dependsOn({ dependencies, devDependencies }: PackageJson, name: string): boolean {
  return name in dependencies || name in devDependencies;
}

function hasScriptsBelow(folder: Folder): boolean {
  return folder.find(/\/package\.json$/, /"test"\s*:/) !== null;
}
