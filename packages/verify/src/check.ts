import { join } from "node:path";
import type { CheckOptions, Checkout, CheckResult, VerifyPlan } from "@ccw-loop/core";
import type { RunSettings } from "@ccw-loop/test-runner";
import { canIsolate } from "@ccw-loop/test-runner/clean-room";
import { textsOf } from "@ccw-loop/test-runner/project-files";
import { canaryRun } from "./canary.ts";
import { beginCheck, locateTests, splitByFolder } from "./check-parts.ts";
import { directRun, directStartsFor } from "./direct/direct.ts";
import { emptiedRun } from "./emptied.ts";
import { overlookedRun } from "./overlooked.ts";
import { testFilesOf } from "./replay/record.ts";
import { languagesOf, modulesUsed, replayRun } from "./replay/replay.ts";

/** See `Verifier.check`. */
export async function check(
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
): Promise<CheckResult[]> {
  const { results, isApart } = await checks(plan, options, settings);
  // A recording that is cut off is made again in any case.
  const isCut = results.some(
    ({ check: { kind, duration_ms } }) => kind !== "replay" && duration_ms >= options.timeoutMs,
  );
  const isWhole = !isCut || results.some(isObjecting);
  return isWhole || !isApart ? results : (await checks(plan, options, settings, false)).results;
}

/**
 * What mostly waits, and what can be kept out of the reach of everything else, is done beside the runs of the runner; what objects
 * there is made once more behind them.
 */
async function checks(
  plan: VerifyPlan,
  options: CheckOptions,
  settings: RunSettings,
  mayBeApart = true,
): Promise<{ results: CheckResult[]; isApart: boolean }> {
  const room = await options.room("present");
  const located = await locateTests(options, room.cwd);
  const used = modulesUsed(testFilesOf(located), room.cwd);
  const starts = directStarts(plan, located, room);
  const [ended, interrupted] = [new AbortController(), new AbortController()];
  const signals = [options.signal, ended.signal];
  const beside = { ...located, signal: AbortSignal.any(signals) };
  const start = (
    { start, suites }: (typeof starts)[number],
    { signal }: CheckOptions,
    zone: string | null = null,
  ) => directRun(suites.plan, { start, options: { ...suites.options, signal }, settings, zone });
  const isApart = mayBeApart && canIsolate(room.project);
  const judged = judgedRuns({ plan, options: located, settings }, room);
  const waiting = { ...located, signal: AbortSignal.any([...signals, interrupted.signal]) };
  const begun = isApart ? inOrder(starts, (one) => start(one, waiting)) : Promise.resolve([]);
  const started = begun.catch((error) => {
    if (!interrupted.signal.aborted) throw error;
    return [];
  });
  const alone = async () => {
    interrupted.abort();
    await started;
  };
  const about = { plan, options: beside, settings };
  const replayed = replays(about, { used, judged, alone, isApart });
  for (const one of [started, replayed]) one.catch(() => {});
  try {
    const results = await judged;
    // Stop at the first objection.
    if (results.some(isObjecting)) return { results, isApart };
    const { zone, ...found } = await replayed;
    results.push(...found.results);
    if (results.some(isObjecting)) return { results, isApart };
    // Always: what was recorded of the sources says nothing about what was not.
    const direct = await started;
    results.push(
      ...(await inOrder(starts, (one, n) =>
        confirm(async (time) => (time === 1 && direct[n]) || start(one, located, zone)),
      )),
    );
    const reason = "The runner has no way to start its tests directly.";
    if (starts.length === 0) results.push(beginCheck("direct")("not_run", reason));
    return { results, isApart };
  } finally {
    ended.abort();
    await Promise.allSettled([started, replayed]);
  }
}

async function inOrder<T, R>(
  all: readonly T[],
  act: (one: T, n: number) => Promise<R>,
): Promise<R[]> {
  const done: R[] = [];
  for (const [n, one] of all.entries()) done.push(await act(one, n));
  return done;
}

interface Checked {
  plan: VerifyPlan;
  options: CheckOptions;
  settings: RunSettings;
}

const isObjecting = ({ objections }: CheckResult): boolean => objections.length > 0;

/** Whether tests that must fail do so, and who decides that; up to the first that objects. */
async function judgedRuns(
  { plan, options, settings }: Checked,
  room: Checkout,
): Promise<CheckResult[]> {
  const canary = await confirm(async (n) =>
    canaryRun(plan, {
      ...{ options, settings },
      room: n === 1 ? room : await options.room("present"),
    }),
  );
  if (isObjecting(canary)) return [canary];
  const results = [canary];
  for (const run of [
    () => emptiedRun(plan, options, settings),
    () => overlookedRun(plan, { options, settings, cwd: room.cwd }),
  ]) {
    const found = await confirm(run);
    if (found !== null) results.push(found);
    if (found !== null && isObjecting(found)) break;
  }
  return results;
}

/**
 * The calls of the changed sources in ordinary use, language by language; up to the first that objects. Also the time zone that
 * the recorded tests were started with.
 */
async function replays(
  about: Checked,
  {
    used,
    judged,
    alone,
    isApart,
  }: {
    used: readonly string[];
    /** Other runs of the tests. */
    judged: Promise<unknown>;
    /** Ends the tests that are started directly: they are started anew. */
    alone: () => Promise<void>;
    isApart: boolean;
  },
): Promise<{ results: CheckResult[]; zone: string | null }> {
  const changed = languagesOf(about.options.sources);
  const languages = changed.length > 0 ? changed : languagesOf(used);
  if (languages.length === 0) {
    const reason = "Calls of the changed sources cannot be recorded in their language.";
    return { results: [beginCheck("replay")("not_run", reason)], zone: null };
  }
  if (!isApart) await judged;
  const results: CheckResult[] = [];
  let known: string | null = null;
  for (const language of languages) {
    const { zone, ...replay } = await confirm(async (time) => {
      if (time === 2) await alone();
      return replayRun({ ...about, language }, used, isApart && time === 1 ? judged : undefined);
    });
    results.push(replay);
    known ??= zone;
    if (isObjecting(replay)) break;
  }
  return { results, zone: known };
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
