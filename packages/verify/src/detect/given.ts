import { runnerOf } from "../runners/recognise.ts";
import { reportOfDotnet } from "./dotnet.ts";
import { composerScriptCalledBy } from "./php.ts";
import { reportOfScript, scriptCalledBy } from "./scripts.ts";

/** The report that a command of an operator's can be asked for; a script of npm or composer is looked up. */
export async function reportOfGiven(cwd: string, command: string): Promise<string> {
  const script = scriptCalledBy(cwd, command) ?? (await composerScriptCalledBy(cwd, command));
  if (script !== undefined) return reportOfScript(script);
  const runner = runnerOf(command);
  return runner === "dotnet" ? reportOfDotnet(cwd) : runner;
}
