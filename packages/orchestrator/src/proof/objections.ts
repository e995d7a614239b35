import {
  type FileChange,
  fitsPath,
  type LoopState,
  type Objection,
  objectionsToResults,
  tasksOf,
  testStates,
} from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";
import {
  changesBetween,
  changesSinceStart,
  claimedFiles,
  foremost,
  startOf,
  startTree,
  versionsOf,
} from "./changed-files.ts";
import type { ProofRun } from "./run-tests.ts";

/** So many changed files are looked into; more of them are an objection. */
const FILES_LOOKED_AT = 5000;

/** Everything that speaks against these runs as a proof of the work, each marked where the operator allowed it. */
export async function objectionsTo(
  ctx: RunContext,
  state: LoopState,
  proof: ProofRun,
): Promise<Objection[]> {
  const last = proof.runs.at(-1);
  if (!last) return [];
  const changes = await changesSinceStart(ctx, state, proof);
  const looked = foremost(changes ?? [], FILES_LOOKED_AT);
  const context = { cwd: ctx.cwd, command: last.command };
  const inFiles = await ctx.deps.verifier.inspect(await versionsOf(ctx, state, looked), context);
  const { comparison } = proof.verdict;
  const states = testStates(last.tests);
  const inResults = objectionsToResults(state.baseline, {
    states,
    counts: last.counts,
    comparison,
  });
  const found = [...inFiles, ...inResults, ...runnersReplaced(state, last.runners, last.command)];
  const general = [
    ...(changes === null ? [startUnknown()] : []),
    ...(changes && changes.length > looked.length ? [notLookedAt(changes.length)] : []),
    ...(await objectionsToIdleness(ctx, state, proof)),
  ];
  return allow([...found, ...general], state.settings?.allow_test_changes ?? []);
}

/** One when the loop changed nothing behind the baseline: what the tests write and others do is not its work. */
export async function objectionsToIdleness(
  ctx: RunContext,
  state: LoopState,
  { tree_after, written }: Pick<ProofRun, "tree_after" | "written">,
): Promise<Objection[]> {
  const outside = state.workspace?.outside ?? [];
  const claimed = claimedFiles(state);
  // What others write while the loop works changes during its turns as well.
  const busy = outside.filter(({ path, times }) => times > 0 && !claimed.has(path));
  const notWork = new Set([...written, ...busy.map(({ path }) => path)]);
  const isWork = ({ path }: FileChange) => !notWork.has(path);
  const changes = await changesBetween(ctx, startTree(state), tree_after);
  if (changes === null || changes.some(isWork)) return [];
  // What a task changed may have been changed from outside as well, and is no difference any more then.
  const all = await changesBetween(ctx, state.baseline?.tree ?? startOf(state)?.tree, tree_after);
  const done = new Set(tasksOf(state).flatMap(({ files_changed }) => files_changed));
  const worked = all?.some((change) => done.has(change.path) && isWork(change));
  return worked ? [] : [nothingChanged(outside.map(({ path }) => path))];
}

/** What ran the tests is not what ran them before. */
function runnersReplaced(
  { baseline }: LoopState,
  runners: Readonly<Record<string, string>>,
  command: string,
): Objection[] {
  if (!baseline || baseline.command !== command) return [];
  return Object.keys(runners)
    .filter((name) => name in baseline.runners && baseline.runners[name] !== runners[name])
    .map((name) => ({
      key: `runner:${name}:${runners[name]}`,
      kind: "runner",
      path: "",
      line: null,
      text: name,
      message: `What runs the tests was replaced or patched: ${name}.`,
      allowed: false,
    }));
}

function nothingChanged(outside: readonly string[]): Objection {
  const message =
    outside.length === 0
      ? "Nothing was changed since the loop began, so the tests say nothing about its work."
      : `This loop changed nothing since it began, so the tests say nothing about its work; changed from outside were ${few(outside)}.`;
  return general("nothing_changed", message);
}

const NAMED = 5;

function few(paths: readonly string[]): string {
  const more = paths.length - NAMED;
  return `${paths.slice(0, NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function startUnknown(): Objection {
  const message =
    "How the files were when the loop began is not known, so nobody can say whether tests were weakened since.";
  return general("start_unknown", message);
}

function notLookedAt(changed: number): Objection {
  const message = `${changed} files were changed since the loop began, and only ${FILES_LOOKED_AT} of them were looked into.`;
  return general("not_looked_at", message, `not_looked_at:${changed}`);
}

/** About the loop as a whole. */
function general(kind: string, message: string, key = kind): Objection {
  return { key, kind, path: "", line: null, text: "", message, allowed: false };
}

/** Where the operator allowed every change of test files, the results may differ accordingly. */
function allow(found: readonly Objection[], patterns: readonly string[]): Objection[] {
  const isAllowed = ({ path }: Objection) =>
    path !== "" && patterns.some((pattern) => fitsPath(pattern, path));
  const inFiles = found.filter(({ path }) => path !== "");
  const all = inFiles.length > 0 && inFiles.every(isAllowed);
  const follows = ({ kind }: Objection) => ["removed", "skipped", "fewer"].includes(kind);
  return found.map((objection) => ({
    ...objection,
    allowed: isAllowed(objection) || (all && objection.path === "" && follows(objection)),
  }));
}
