import { COMPILED } from "./compiled.ts";
import { JAVASCRIPT } from "./javascript.ts";
import type { Runner } from "./runner.ts";
import { BY_ENVIRONMENT, SCRIPT } from "./script.ts";
import { SCRIPTING } from "./scripting.ts";

const RUNNERS = {
  ...JAVASCRIPT,
  ...COMPILED,
  ...SCRIPTING,
  unittest: BY_ENVIRONMENT,
  tap: BY_ENVIRONMENT,
  tape: BY_ENVIRONMENT,
  uvu: BY_ENVIRONMENT,
  borp: BY_ENVIRONMENT,
  minitest: BY_ENVIRONMENT,
  rspec: BY_ENVIRONMENT,
  prove: BY_ENVIRONMENT,
  script: SCRIPT,
};

/** The names that `PlanPart.report` may hold beside `exit-code`. */
export type RunnerName = keyof typeof RUNNERS;

/** Runners that are told in the middle of their own command: behind a script nobody can tell them. */
export const ARGUMENTS_INSIDE: ReadonlySet<string> = new Set<RunnerName>([
  "go",
  "cargo",
  "nextest",
]);

/** The runner of a plan; undefined for `exit-code` and for words of other versions. */
export function runnerNamed(report: string): Runner | undefined {
  return Object.hasOwn(RUNNERS, report) ? RUNNERS[report as RunnerName] : undefined;
}
