import type { CheckOptions, VerifyPlan } from "@ccw-loop/core";
import { hookOf, runnerOf, scriptCalledBy, splitChain } from "@ccw-loop/test-runner/commands";
import type { DirectStart } from "./direct-start.ts";
import { DIRECT_STARTS } from "./starts.ts";

/**
 * What is run in front of tests and reports none, in order and for a shell: earlier commands of the plan, the hook of the script that
 * starts them, and the script's own commands before its runner.
 */
export function commandsBefore(
  { parts }: VerifyPlan,
  start: DirectStart,
  { unplaced, cwd }: Pick<CheckOptions, "unplaced"> & { cwd: string },
): string[] {
  const part =
    parts.find(({ report }) => DIRECT_STARTS[report] === start) ??
    parts.find(({ report }) => report === "script");
  if (part === undefined) return [];
  const earlier = parts.slice(0, parts.indexOf(part)).map(({ command }) => command);
  const hook = hookOf("pre", cwd, part.command);
  const chain = splitChain(scriptCalledBy(cwd, part.command) ?? "");
  const runner = chain.findIndex(({ command }) => runnerOf(command) !== "script");
  const inFront = chain.slice(0, Math.max(0, runner)).filter(({ folder }) => folder === undefined);
  return [
    ...earlier.filter((command) => unplaced.includes(command)),
    ...(hook === undefined ? [] : [hook]),
    ...inFront.map(({ command }) => `(PATH="$PWD/node_modules/.bin:$PATH"; ${command})`),
  ];
}
