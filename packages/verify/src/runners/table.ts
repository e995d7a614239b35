import { COMPILED } from "./compiled.ts";
import { JAVASCRIPT } from "./javascript.ts";
import type { Runner } from "./runner.ts";
import { SCRIPTING } from "./scripting.ts";

const RUNNERS = { ...JAVASCRIPT, ...COMPILED, ...SCRIPTING };

/** The names that `PlanPart.report` may hold beside `exit-code`. */
export type RunnerName = keyof typeof RUNNERS;

/** Runners that are told in the middle of their own command: behind a script nobody can tell them. */
export const TOLD_INSIDE: ReadonlySet<string> = new Set<RunnerName>([
  "unittest",
  "go",
  "cargo",
  "nextest",
]);

/** The runner of a plan; undefined for `exit-code` and for words of other versions. */
export function runnerNamed(report: string): Runner | undefined {
  return Object.hasOwn(RUNNERS, report) ? RUNNERS[report as RunnerName] : undefined;
}
