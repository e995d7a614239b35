import { dirname } from "node:path";
import { Folder } from "./folder.ts";
import type { Detector } from "./suite.ts";

const PROJECT = /\.(cs|fs|vb)proj$/;
const DOTNET_TESTS = /Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|"(xunit|NUnit|MSTest)\b/i;
const SOLUTION = /^[^/]+\.slnx?$/;
/** More test projects than these want a solution around them. */
const PROJECTS = 8;

/** The folder's only solution, else its test projects one by one. */
export const dotnet: Detector = (folder) => {
  const projects = [...folder.matching(PROJECT, DOTNET_TESTS)];
  if (projects.length === 0) return [];
  const solutions = [...folder.matching(SOLUTION)];
  const targets = solutions.length === 1 ? solutions : projects;
  if (targets.length > PROJECTS || !targets.every((target) => /^[\w./-]+$/.test(target))) return [];
  const report = reportOfDotnet(folder);
  return targets.map((target) => ({ command: `dotnet test ${target}`, source: target, report }));
};

/** The newer test platform has other arguments, and a report only where the project installs one. */
export function reportOfDotnet({ path }: Folder): string {
  // As dotnet looks for it.
  for (let folder = path; ; folder = dirname(folder)) {
    const settings = new Folder(folder, []).head("global.json");
    if (settings !== null)
      return /Microsoft\.Testing\.Platform/.test(settings) ? "exit-code" : "dotnet";
    if (folder === dirname(folder)) return "dotnet";
  }
}
