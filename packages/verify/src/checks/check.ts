import { join } from "node:path";
import type { CheckOptions, Checkout, CheckResult, VerifyPlan } from "@ccw-loop/core";
import type { RunSettings } from "../process/run-command.ts";
import { textsOf } from "../project-files.ts";
import { canaryRun } from "./canary.ts";
import { beginCheck, locateTests, splitByFolder } from "./check-options.ts";
import { directRun, directStartsFor } from "./direct/direct.ts";
import { emptiedRun } from "./emptied.ts";
import type { ReplayLanguage } from "./replay/language.ts";
import { testFilesOf } from "./replay/record.ts";
import { languagesOf, modulesUsed, replayRun } from "./replay/replay.ts";

/** See `Verifier.check`. */
export async function check(
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
): Promise<CheckResult[]> {
  const room = await options.room("present");
  const located = await locateTests(options, room.cwd);
  const used = modulesUsed(testFilesOf(located), room.cwd);
  const starts = directStarts(plan, located, room);
  const canary = await confirm(async (n) =>
    canaryRun(plan, {
      ...{ options: located, settings },
      room: n === 1 ? room : await options.room("present"),
    }),
  );
  // Stop at the first objection.
  if (canary.objections.length > 0) return [canary];
  const results = [canary];
  const emptied = await confirm(() => emptiedRun(plan, located, settings));
  if (emptied !== null) results.push(emptied);
  if (emptied !== null && emptied.objections.length > 0) return results;
  const changed = languagesOf(located.sources);
  const languages = changed.length > 0 ? changed : languagesOf(used);
  if (languages.length === 0) {
    const reason = "Calls of the changed sources cannot be recorded in their language.";
    results.push(beginCheck("replay")("not_run", reason));
  }
  const repeated = new Set<ReplayLanguage>();
  for (const language of languages) {
    const about = { plan, language, options: located, settings };
    const replay = await confirm(() => replayRun(about, used));
    results.push({ check: replay.check, objections: replay.objections });
    if (replay.objections.length > 0) return results;
    if (replay.check.result !== "not_run" && replay.unseen.length === 0) repeated.add(language);
  }
  // Always: what was recorded of the sources says nothing about what was not.
  if (starts.length === 0)
    results.push(
      beginCheck("direct")("not_run", "The runner has no way to start its tests directly."),
    );
  for (const { start, suites } of starts) {
    const isRepeated = start.replay !== undefined && repeated.has(start.replay);
    const about = { start, options: suites.options, settings, isRepeated };
    results.push(await confirm(() => directRun(suites.plan, about)));
  }
  return results;
}

/** What a check finds; it objects only if it does so twice, for one run may fail of something that passes. */
async function confirm<R extends CheckResult | null>(run: (n: 1 | 2) => Promise<R>): Promise<R> {
  const first = await run(1);
  return (first?.objections.length ?? 0) === 0 ? first : run(2);
}

/** How the tests can be started directly, folder by folder. */
function directStarts(plan: VerifyPlan, options: CheckOptions, room: Checkout) {
  return splitByFolder(plan, options).flatMap((suites) => {
    const texts = textsOf(testFilesOf(suites.options), join(room.cwd, suites.folder));
    const starts = directStartsFor(suites.plan, [...texts.values()]);
    return starts.map((start) => ({ start, suites }));
  });
}
