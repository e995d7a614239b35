import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "../../../quality/loops/environment.ts";

const LONGEST_MS = 240_000;
const installed = new Map<string, Promise<string>>();

/**
 * Copies packages from the registry into the project in `top`; they are installed once for all who want the same ones,
 * as long as this process lives. Links stay what they are, and files are new ones: a case may change them.
 */
export async function addPackages(specs: readonly string[], top: string): Promise<void> {
  if (specs.length === 0) return;
  const key = specs.join(" ");
  const folder = await (installed.get(key) ?? remember(key, install(specs)));
  const modules = join(folder, "node_modules");
  await cp(modules, join(top, "node_modules"), { recursive: true, verbatimSymlinks: true });
}

function remember(key: string, folder: Promise<string>): Promise<string> {
  installed.set(key, folder);
  return folder;
}

async function install(specs: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-packages-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  const options = { cwd: folder, env: environment(), timeout: LONGEST_MS };
  await promisify(execFile)(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...specs],
    options,
  );
  return folder;
}
