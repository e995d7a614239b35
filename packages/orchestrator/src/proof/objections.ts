import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Checkpoint,
  type FileVersions,
  fitsPath,
  type LoopState,
  type Objection,
  objectionsToResults,
  testStates,
} from "@ccw-loop/core";
import type { RunContext } from "../run/context.ts";
import type { ProofRun } from "./run-tests.ts";

/** Larger files, and files with a NUL byte, are not looked at as text. */
const TEXT_LIMIT = 1024 * 1024;
/** So many changed files are looked into, tests and configuration among them or not. */
const FILES_LOOKED_AT = 5000;

/** Everything that speaks against these runs as a proof of the work, each marked where the operator allowed it. */
export async function objectionsTo(
  ctx: RunContext,
  state: LoopState,
  proof: ProofRun,
): Promise<Objection[]> {
  const last = proof.runs.at(-1);
  if (!last) return [];
  const changes = await changedFiles(ctx, state, proof);
  const context = { cwd: ctx.cwd, command: last.command };
  const inFiles = await ctx.deps.verifier.inspect(changes ?? [], context);
  const { comparison } = proof.verdict;
  const states = testStates(last.tests);
  const inResults = objectionsToResults(state.baseline, {
    states,
    counts: last.counts,
    comparison,
  });
  const found = [...inFiles, ...inResults, ...runnersReplaced(state, last.runners, last.command)];
  const byTests = new Set(proof.written);
  const idle = changes?.every(({ path }) => byTests.has(path)) ? [nothingChanged()] : [];
  return allow([...found, ...idle], state.settings?.allow_test_changes ?? []);
}

/**
 * Between the start of the loop and now; null where the start is not kept (the loop was begun by an older version,
 * or the files could not be kept).
 */
async function changedFiles(
  ctx: RunContext,
  state: LoopState,
  { tree_after }: ProofRun,
): Promise<FileVersions[] | null> {
  const start = startOf(state);
  if (!start) return null;
  const all = await ctx.workspace.changes(start.tree, tree_after);
  const changed = all.slice(0, FILES_LOOKED_AT);
  const paths = changed.filter(({ kind }) => kind !== "added").map(({ path }) => path);
  const before = await ctx.workspace.read(start.commit, paths);
  return Promise.all(
    changed.map(async ({ path, kind }) => ({
      path,
      before: kind === "added" ? null : textOf(before.get(path)),
      after: kind === "deleted" ? null : textOf(await readFile(join(ctx.cwd, path)).catch(none)),
    })),
  );
}

/** The checkpoint from before the first action. */
export function startOf({ checkpoints }: LoopState): Checkpoint | undefined {
  return checkpoints?.[0]?.action === null ? checkpoints[0] : undefined;
}

function none(): undefined {
  return undefined;
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length > TEXT_LIMIT || bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes);
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

function nothingChanged(): Objection {
  return {
    key: "nothing_changed",
    kind: "nothing_changed",
    path: "",
    line: null,
    text: "",
    message: "Nothing was changed since the loop began, so the tests say nothing about its work.",
    allowed: false,
  };
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
