import { join } from "node:path";
import type { PlanPart } from "@ccw-loop/core";
import { runnerOf } from "../runners/recognise.ts";
import type { ChainCommand } from "./chain.ts";
import { reportOfDotnet } from "./dotnet.ts";
import { Folder } from "./folder.ts";
import { composerScriptCalledBy } from "./php.ts";
import { reportOfPackageScript, reportOfScript, scriptCalledBy } from "./scripts.ts";

/** A command of an operator's, with the report that it can be asked for; a script of npm or composer is looked up. */
export function givenPart(cwd: string, { command, folder }: ChainCommand): PlanPart {
  const place = new Folder(folder === undefined ? cwd : join(cwd, folder), []);
  return { command, ...(folder === undefined ? {} : { folder }), report: reportOf(place, command) };
}

function reportOf(folder: Folder, command: string): string {
  const own = scriptCalledBy(folder.path, command);
  if (own !== undefined) return reportOfPackageScript(own);
  const script = composerScriptCalledBy(folder, command);
  if (script !== undefined) return reportOfScript(script);
  const runner = runnerOf(command);
  if (runner === "dotnet") return reportOfDotnet(folder);
  return runner === "exit-code" ? "script" : runner;
}
