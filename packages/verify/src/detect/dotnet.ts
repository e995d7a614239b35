import { join } from "node:path";
import { type Detector, findFiles, headOf } from "./detector.ts";
import { chainOf } from "./plan.ts";

const PROJECT = /\.(cs|fs|vb)proj$/;
const TESTS = /Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|"(xunit|NUnit|MSTest)\b/i;
const SOLUTION = /^[^/]+\.slnx?$/;
/** More test projects than these want a solution around them. */
const PROJECTS = 8;

/** The folder's only solution, else its test projects one by one. */
export const dotnet: Detector = async (cwd) => {
  const projects: string[] = [];
  for await (const file of findFiles(cwd, PROJECT, TESTS)) projects.push(file);
  const [source] = projects;
  if (source === undefined) return null;
  const solutions: string[] = [];
  for await (const file of findFiles(cwd, SOLUTION)) solutions.push(file);
  const targets = solutions.length === 1 ? solutions : projects;
  if (targets.length > PROJECTS || !targets.every((target) => /^[\w./-]+$/.test(target)))
    return null;
  const report = await reportOfDotnet(cwd);
  const commands = targets.map((target) => `dotnet test ${target}`);
  return chainOf(commands, targets[0] ?? source, report);
};

/** The newer test platform has other arguments, and a report only where the project installs one. */
export async function reportOfDotnet(cwd: string): Promise<string> {
  const settings = (await headOf(join(cwd, "global.json"))) ?? "";
  return /Microsoft\.Testing\.Platform/.test(settings) ? "exit-code" : "dotnet";
}
