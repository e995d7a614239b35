import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Missing, Verification, VerifyPlan } from "@ccw-loop/core";
import { INSTALLERS } from "./ecosystems.ts";
import { installCommand, isEmpty, missingPackages } from "./packages.ts";

/** Names beyond these are counted. */
const NAMED = 3;
const SERVICE =
  /ECONNREFUSED ([\w.:[\]-]+:\d+)|[Cc]onnection (?:to server )?(?:at "?([\w.-]+)"?,? )?(?:\(.*\) )?.*?port (\d+) failed|[Cc]onnection refused.*?:(\d+)/;
const COMPOSE = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/**
 * What the tests need and what is not there, where a run of them, or the attempt to start one, came to no test that passed.
 * What an ordinary red test says is none of it.
 */
export function missingFor(plan: VerifyPlan, cwd: string, run: Verification | null): Missing[] {
  if (run !== null && run.counts.passed > 0) return [];
  const submodules = emptySubmodules(cwd);
  if (submodules.length > 0) {
    const message = `${listed(submodules)} ${submodules.length === 1 ? "is an empty submodule" : "are empty submodules"}.`;
    return [{ message, command: "git submodule update --init --recursive" }];
  }
  const folders = [...new Set(plan.parts.map(({ folder = "" }) => join(cwd, folder)))];
  const found = folders.flatMap((folder) => notInstalled(cwd, folder, run) ?? []);
  // The output is that of all: where one folder tells what brings it, it is none of another one.
  const known = found.filter(({ command }) => command !== null);
  if (found.length > 0) return known.length > 0 ? known : found.slice(0, 1);
  const service = run === null ? null : silentService(cwd, run.output_tail);
  return service === null ? [] : [service];
}

function notInstalled(cwd: string, folder: string, run: Verification | null): Missing | null {
  // A command that could not be started has said nothing.
  if (run === null) {
    const names = missingPackages(folder);
    return names.length === 0 ? null : packagesMissing(names, installCommand(cwd, folder));
  }
  for (const { says, isForeign, command } of INSTALLERS) {
    const name = says.exec(run.output_tail)?.[1];
    if (name === undefined || !isForeign(folder, name)) continue;
    const names = missingPackages(folder);
    const install = command(cwd, folder);
    if (command === installCommand) return packagesMissing(names, install);
    return { message: `${name} is not installed.`, command: install };
  }
  return null;
}

function packagesMissing(names: readonly string[], command: string | null): Missing {
  const are = names.length === 1 ? "is" : "are";
  return { message: `${listed(names)} ${are} not installed.`, command };
}

/** Folders of `.gitmodules` that nothing was fetched into. */
function emptySubmodules(cwd: string): string[] {
  const file = join(cwd, ".gitmodules");
  if (!existsSync(file)) return [];
  const paths = [...readFileSync(file, "utf8").matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)];
  return paths.map(([, path = ""]) => path).filter((path) => isEmpty(join(cwd, path)));
}

function silentService(cwd: string, output: string): Missing | null {
  const match = SERVICE.exec(output);
  if (!match) return null;
  const [, address, host = "127.0.0.1", port, other] = match;
  const compose = COMPOSE.find((name) => existsSync(join(cwd, name)));
  return {
    message: `The service at ${address ?? `${host}:${port ?? other}`} does not answer.`,
    command: compose === undefined ? null : "docker compose up -d",
  };
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  const shown = names.slice(0, NAMED).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
