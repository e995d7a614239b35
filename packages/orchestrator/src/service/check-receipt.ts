import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isLoopError,
  LoopError,
  type LoopEvent,
  type Receipt,
  type ReceiptCheck,
  type ReceiptProblem,
  type RevisionOptions,
  testStates,
  type Verification,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { isSealed } from "../proof/receipt.ts";
import { withoutFiles } from "../run/left-out.ts";
import { historyFolder } from "../run/loop-folder.ts";
import { readAt } from "../run/recorder.ts";
import { collect } from "./rewind.ts";

export interface CheckOptions extends RevisionOptions {
  signal?: AbortSignal;
  onOutput?: (text: string) => void;
}

/** Whether the newest receipt of a loop still stands. Throws `invalid_input` when there is none to check. */
export async function checkReceipt(
  deps: OrchestratorDeps,
  id: string,
  options: CheckOptions,
): Promise<ReceiptCheck> {
  const { state } = await readAt(deps.store, id, options.revision);
  const receipt = state.receipts?.at(-1);
  if (!receipt) {
    throw new LoopError(
      "invalid_input",
      `Loop ${id} has no receipt: its tests have not been run. Run it first.`,
    );
  }
  if (receipt.waived !== undefined) {
    throw new LoopError(
      "invalid_input",
      `The receipt of loop ${id} waives the tests (${receipt.waived}), so there is nothing to verify.`,
    );
  }
  const cwd = await historyFolder(deps, id);
  const workspace = withoutFiles(await deps.workspace(cwd), new Set(receipt.left_out));
  // What was tested in a worktree that is gone can only be run again: nothing else lies there now.
  const gone = cwd !== (state.workspace?.path ?? deps.cwd);
  const problems = [
    ...(await edited(deps, id, receipt)),
    ...(gone ? [] : await otherTree(workspace, receipt)),
    ...(gone ? [] : await otherTestFiles(cwd, receipt)),
  ];
  const again = await runAgain(deps, { receipt, cwd, workspace, options });
  problems.push(...again.problems);
  return { receipt, ok: problems.length === 0, problems, rerun: again.rerun, where: again.where };
}

/** Against its own digest, and against what the journal recorded when it was given. */
async function edited(
  { store }: OrchestratorDeps,
  id: string,
  receipt: Receipt,
): Promise<ReceiptProblem[]> {
  const found: ReceiptProblem[] = [];
  if (!isSealed(receipt)) {
    found.push({
      kind: "receipt",
      message: "The receipt was edited: its digest does not fit.",
      details: [],
    });
  }
  const events = (await collect(store.events(id))).map(({ event }) => event);
  const since = events.findLastIndex((event) =>
    receiptsIn(event).some(({ id }) => id === receipt.id),
  );
  const given = receiptsIn(events[since]).findLast((one) => one.id === receipt.id);
  const tried = events.slice(since + 1).flatMap(editsOfReceipts);
  if (tried.length > 0) {
    const message =
      "The receipts in the state file were edited by another program; the recorded ones were put back.";
    found.push({ kind: "receipt", message, details: tried });
  }
  if (!given) {
    const message = "The journal does not know this receipt: no VALIDATE of this loop gave it.";
    found.push({ kind: "receipt", message, details: [] });
  } else if (given.digest !== receipt.digest) {
    const message = "The receipt is not the one that the journal recorded.";
    found.push({ kind: "receipt", message, details: [] });
  }
  return found;
}

/** Those that a VALIDATE gave; a fork begins with the ones of the loop it comes from. */
function receiptsIn(event: LoopEvent | undefined): readonly Receipt[] {
  if (event === undefined) return [];
  if (event.type === "loop.created") return event.loop.receipts ?? [];
  if (event.type !== "action.completed" || event.output.action !== "VALIDATE") return [];
  return [event.output.receipt];
}

/** The fields of receipts that a foreign write had otherwise; they were kept aside. */
function editsOfReceipts(event: LoopEvent): readonly string[] {
  if (event.type !== "external.edited") return [];
  return (event.kept_aside ?? []).filter((path) => /^receipts\b/.test(path));
}

async function otherTree(workspace: Workspace, { tree_after }: Receipt): Promise<ReceiptProblem[]> {
  const tree = await workspace.tree();
  if (tree_after === null || tree === tree_after) return [];
  const changes = await workspace.changes(tree_after, tree).catch((error: unknown) => {
    if (isLoopError(error, "invalid_input")) return [];
    throw error;
  });
  const details = changes.map(({ path, kind }) => `${kind}: ${path}`);
  return [{ kind: "tree", message: "The files are not those that were tested.", details }];
}

async function otherTestFiles(cwd: string, { test_files }: Receipt): Promise<ReceiptProblem[]> {
  const details: string[] = [];
  for (const [path, digest] of Object.entries(test_files)) {
    const content = await readFile(join(cwd, path)).catch(() => undefined);
    if (content === undefined) details.push(`gone: ${path}`);
    else if (createHash("sha256").update(content).digest("hex") !== digest) {
      details.push(`changed: ${path}`);
    }
  }
  if (details.length === 0) return [];
  return [{ kind: "test_files", message: "Test files are not those that ran.", details }];
}

interface Rerun {
  rerun: Verification | null;
  where: ReceiptCheck["where"];
  problems: ReceiptProblem[];
}

async function runAgain(
  deps: OrchestratorDeps,
  about: { receipt: Receipt; cwd: string; workspace: Workspace; options: CheckOptions },
): Promise<Rerun> {
  const { receipt, cwd, workspace, options } = about;
  const folder = await mkdtemp(join(tmpdir(), "ccw-loop-checkout-"));
  try {
    const place = await placeFor(workspace, { receipt, cwd, folder });
    if (place === null) {
      const message =
        "The tested files are not kept, and others are there now: nothing could be run again.";
      return { rerun: null, where: "nowhere", problems: [{ kind: "rerun", message, details: [] }] };
    }
    const plan = await deps.verifier.detect(place.cwd, receipt.command);
    if (!plan) throw new LoopError("verify_unavailable", "The recorded test command is empty.");
    const rerun = await deps.verifier.verify(plan, {
      cwd: place.cwd,
      signal: options.signal ?? new AbortController().signal,
      timeoutMs: deps.verifyTimeoutMs,
      ...(options.onOutput ? { onOutput: options.onOutput } : {}),
    });
    return { rerun, where: place.where, problems: differences(receipt, rerun) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function placeFor(
  workspace: Workspace,
  { receipt, cwd, folder }: { receipt: Receipt; cwd: string; folder: string },
): Promise<{ cwd: string; where: "checkout" | "in_place" } | null> {
  if (workspace.lacks.length === 0 && receipt.checkpoint !== null) {
    const { cwd } = await workspace.checkout(receipt.checkpoint, folder);
    return { cwd, where: "checkout" };
  }
  return (await workspace.tree()) === receipt.tree_after ? { cwd, where: "in_place" } : null;
}

/** Tests that ended otherwise; those that were flaky then may. */
function differences(receipt: Receipt, rerun: Verification): ReceiptProblem[] {
  const now = testStates(rerun.tests);
  const flaky = new Set(receipt.comparison?.flaky ?? []);
  const then = receipt.tests ?? {};
  const details = Object.keys(then)
    .filter((test) => !flaky.has(test) && then[test] !== now[test])
    .map((test) => `${test}: ${then[test]} then, ${now[test] ?? "not run"} now`);
  const other = details.length > 0 || rerun.counts.total !== receipt.counts.total;
  const contradicts = receipt.tests === undefined && rerun.passed !== receipt.passed;
  if (!other && !contradicts) return [];
  return [
    { kind: "result", message: `The same tests end otherwise now: ${rerun.reason}`, details },
  ];
}
