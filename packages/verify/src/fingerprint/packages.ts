import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Invocation, programName } from "./invocations.ts";
import type { Program } from "./programs.ts";

/** An installed npm package. */
export interface InstalledPackage {
  name: string;
  folder: string;
  version: string;
}

/**
 * What decides about a test in each JavaScript runner: the runner and the parts of it that are packages of their own.
 * The first one gives the runner's version.
 */
const RUNNER_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  vitest: ["vitest", "@vitest/runner", "@vitest/expect", "@vitest/snapshot", "@vitest/spy", "chai"],
  jest: [
    "jest",
    "jest-cli",
    "@jest/core",
    "jest-runner",
    "jest-runtime",
    "jest-circus",
    "@jest/expect",
    "expect",
    "@jest/expect-utils",
  ],
  mocha: ["mocha", "chai", "expect"],
  _mocha: ["mocha", "chai", "expect"],
  playwright: ["@playwright/test", "playwright", "playwright-core"],
  ava: ["ava"],
  jasmine: ["jasmine", "jasmine-core"],
  tap: ["tap"],
  uvu: ["uvu"],
};

/** The packages of the runner that is started, the runner's own first; none for a runner that is no package. */
export async function runnerPackages(
  invocation: Invocation,
  program: Program,
): Promise<InstalledPackage[]> {
  const runner = runnerOf(invocation);
  if (runner === "phpunit" || runner === "pest") return vendored("phpunit/phpunit", program);
  const names = Object.hasOwn(RUNNER_PACKAGES, runner) ? (RUNNER_PACKAGES[runner] ?? []) : [];
  const from = [dirname(program.file), dirname(program.path), invocation.folder];
  const found: InstalledPackage[] = [];
  for (const name of names) {
    // Also from those that were found before: pnpm lets a package see its own dependencies only.
    for (const folder of [...from, ...found.map((one) => one.folder)]) {
      const one = await findPackage(name, folder);
      if (one === null) continue;
      found.push(one);
      break;
    }
  }
  return found;
}

const PACKAGE = /node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/;

/** `vitest` for `vitest run` and `node node_modules/vitest/vitest.mjs run`. */
function runnerOf({ program, args }: Invocation): string {
  const name = programName(program);
  if (name !== "node") return name;
  const script = args.find((word) => !word.startsWith("-")) ?? "";
  const owner = PACKAGE.exec(script)?.[1] ?? "";
  return Object.keys(RUNNER_PACKAGES).find((one) => RUNNER_PACKAGES[one]?.includes(owner)) ?? name;
}

/** As Node resolves a package: in the nearest `node_modules` from `from` upwards, or `from` is inside of it. */
async function findPackage(name: string, from: string): Promise<InstalledPackage | null> {
  for (let folder = from; ; folder = dirname(folder)) {
    const one =
      (await packageAt(folder, name)) ??
      (await packageAt(join(folder, "node_modules", name), name));
    if (one !== null || folder === dirname(folder)) return one;
  }
}

const INSTALLED = /[/\\]node_modules[/\\]/;

async function packageAt(folder: string, name: string): Promise<InstalledPackage | null> {
  try {
    const json = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const real = await realpath(folder);
    // A project that works on this very package runs its own sources.
    if (json?.name !== name || !INSTALLED.test(real)) return null;
    return { name, folder: real, version: String(json.version ?? "") };
  } catch {
    return null;
  }
}

const Vendor = z.object({
  packages: z.array(z.object({ name: z.string(), version: z.string() })),
});

/** A package of Composer beside the program in `vendor/bin`. */
async function vendored(name: string, program: Program): Promise<InstalledPackage[]> {
  const vendor = dirname(dirname(program.path));
  const text = await readFile(join(vendor, "composer", "installed.json"), "utf8").catch(() => "{}");
  const known = Vendor.catch({ packages: [] }).parse(parsed(text)).packages;
  const version = known.find((one) => one.name === name)?.version;
  return version === undefined ? [] : [{ name: "phpunit", folder: join(vendor, name), version }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
