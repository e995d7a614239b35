import { join } from "node:path";
import { type PlanPart, typedCommand, type VerifyPlan } from "@ccw-loop/core";
import { runnerOf } from "../runners/recognise.ts";
import { type ChainCommand, splitChain } from "./chain.ts";
import { Folder } from "./detector.ts";
import { reportOfScript, scriptCalledBy } from "./javascript.ts";
import { composerScriptCalledBy, reportOfDotnet } from "./languages.ts";
import { suitesOf } from "./suites.ts";

/**
 * How the project in `cwd` is tested: the given command, else what its own files say, else null. Runs
 * nothing and writes nothing.
 */
export async function detect(cwd: string, given?: string): Promise<VerifyPlan | null> {
  if (given?.trim()) {
    return {
      command: given,
      source: "given",
      parts: splitChain(given).map((one) => givenPart(cwd, one)),
    };
  }
  const parts = await suitesOf(cwd);
  if (parts.length === 0) return null;
  const command = parts.map(typedCommand).join(" && ");
  return { command, source: sourcesOf(parts).join(", "), parts };
}

function sourcesOf(parts: readonly PlanPart[]): string[] {
  return [...new Set(parts.flatMap(({ source }) => source ?? []))];
}

/** A command of an operator's, with the report that it can be asked for; a script of npm or composer is looked up. */
export function givenPart(cwd: string, { command, folder }: ChainCommand): PlanPart {
  const place = new Folder(folder === undefined ? cwd : join(cwd, folder), []);
  return { command, ...(folder === undefined ? {} : { folder }), report: reportOf(place, command) };
}

function reportOf(folder: Folder, command: string): string {
  const script = scriptCalledBy(folder.path, command) ?? composerScriptCalledBy(folder, command);
  if (script !== undefined) return reportOfScript(script);
  const runner = runnerOf(command);
  return runner === "dotnet" ? reportOfDotnet(folder) : runner;
}
