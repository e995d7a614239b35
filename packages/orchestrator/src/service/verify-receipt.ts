import {
  type Baseline,
  LoopError,
  type LoopEvent,
  type LoopState,
  type LoopStore,
  PORTABLE_FORMAT,
  PortableReceipt,
  type Receipt,
  type ReceiptCheck,
  type ReceiptProblem,
  type RevisionOptions,
  tryParseJson,
  type VerifyReceiptOptions,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../deps.ts";
import { digestOf, type SealState, sealed, sealState } from "../proof/receipt.ts";
import type { SquareDeps } from "../proof/rooms.ts";
import { excluding } from "../run/outside-changes.ts";
import { historyFolder } from "../run/place.ts";
import { readAt } from "../run/recorder.ts";
import type { VerifyFileOptions } from "./local-loops.ts";
import { problem } from "./locate-square-files.ts";
import { ended, rerunProof } from "./rerun-proof.ts";

export async function verifyLoop(
  deps: OrchestratorDeps,
  id: string,
  options: VerifyReceiptOptions,
): Promise<ReceiptCheck> {
  const { state } = await readAt(deps.store, id, options.revision);
  const receipt = newestOf(state);
  const { baseline } = state;
  const key = await deps.sealKey();
  const problems = await receiptProblems(deps.store, id, { receipt, baseline, key });
  if (problems.length > 0) return { receipt, ...ended(problems) };
  const cwd = await historyFolder(deps, state);
  const proof = await rerunProof(placeIn(deps, await deps.workspace(cwd), receipt, options), {
    ...{ receipt, baseline, cwd },
    accepted: state.accepted ?? [],
    command: options.command ?? baseline?.command,
    // A worktree that is gone has left its checkpoints, and no other files.
    isThere: cwd === (state.workspace?.path ?? deps.cwd),
    needsInstalled: true,
    loop: id,
  });
  return { receipt, ...proof };
}

/** See `LocalLoops.verifyReceipt`. */
export async function verifyPortable(
  deps: OrchestratorDeps,
  text: string,
  options: VerifyFileOptions,
): Promise<ReceiptCheck> {
  const raw = tryParseJson(text);
  const { data } = PortableReceipt.safeParse(raw);
  if (!data) {
    throw new LoopError(
      "invalid_input",
      `This is no receipt of the format ${PORTABLE_FORMAT}. Write one with: ccw-loop receipt @last > receipt.json`,
    );
  }
  const { receipt, baseline, accepted, loop_id: loop } = data;
  requireRun(loop, receipt);
  const problems = sealProblems(raw as { seal?: string }, await deps.sealKey());
  if (problems.length > 0) return { receipt, ...ended(problems) };
  const whole = await deps.workspace(deps.cwd);
  // A receipt that git tracks is one of the files; then it is told as the one too many.
  const workspace = { ...excluding(whole, new Set(options.without)), changes: whole.changes };
  const proof = await rerunProof(placeIn(deps, workspace, receipt, options), {
    ...{ receipt, baseline: baseline ?? undefined, cwd: deps.cwd, accepted, loop },
    command: options.command,
    isThere: true,
    needsInstalled: false,
  });
  return { receipt, ...proof };
}

/** See `LocalLoops.receipt`. */
export async function portableReceipt(
  deps: OrchestratorDeps,
  id: string,
  { revision }: RevisionOptions,
): Promise<PortableReceipt> {
  const { state } = await readAt(deps.store, id, revision);
  const { baseline, accepted = [] } = state;
  const receipt = newestOf(state);
  const key = await deps.sealKey();
  const [problem] = await receiptProblems(deps.store, id, { receipt, baseline, key });
  if (problem) throw new LoopError("invalid_input", problem.message, { details: { ...problem } });
  return sealed<PortableReceipt>(
    {
      format: PORTABLE_FORMAT,
      loop_id: id,
      receipt: portable(receipt),
      baseline: baseline ? withoutInstalled(baseline) : null,
      accepted,
    },
    key,
  );
}

/** Without what is true on one machine alone. */
function portable({ seal: _, output_tail: _output, ...receipt }: Receipt): Receipt {
  return { ...receipt, cwd: "." };
}

function withoutInstalled({ installed: _, ...baseline }: Baseline): Baseline {
  return baseline;
}

function newestOf({ loop_id: id, receipts }: LoopState): Receipt {
  const receipt = receipts?.at(-1);
  if (!receipt) {
    throw new LoopError(
      "invalid_input",
      `Loop ${id} has no receipt: its tests have not been run. Run it first.`,
    );
  }
  requireRun(id, receipt);
  return receipt;
}

function requireRun(id: string, { waived }: Receipt): void {
  if (waived === undefined) return;
  throw new LoopError(
    "invalid_input",
    `The receipt of loop ${id} waives the tests (${waived}), so there is nothing to verify.`,
  );
}

function placeIn(
  deps: OrchestratorDeps,
  workspace: Workspace,
  receipt: Receipt,
  { signal = new AbortController().signal, onOutput = () => undefined }: VerifyReceiptOptions,
): SquareDeps {
  const { verifier, files, verifyTimeoutMs: timeoutMs } = deps;
  return {
    workspace: excluding(workspace, new Set(receipt.left_out)),
    ...{ verifier, files, signal, timeoutMs, onOutput },
    beforeRun: async () => signal.throwIfAborted(),
  };
}

const SEALS: Readonly<Record<Exclude<SealState, "fits">, string>> = {
  none: "The receipt has no seal, so nothing shows that this program gave it. Add a task to its loop and reopen it for one that has: its tests are run again then.",
  edited: "The receipt was edited: its seal does not fit.",
  other_key:
    "The receipt is sealed with another key than the one that it was checked with. Bring the key of the user and machine that sealed it, and name it with --key FILE (in a workflow, the input `key`).",
};

/** What the seal of a receipt, or of a file with one, says against it. */
export function sealProblems(
  sealed: { seal?: string | undefined },
  key: Uint8Array,
): ReceiptProblem[] {
  const state = sealState(sealed, key);
  if (state === "fits") return [];
  // Whoever has that key can tell; nothing here speaks against it.
  return [problem(state === "other_key" ? "missing" : "receipt", SEALS[state])];
}

/** A receipt against its seal, the baseline of its loop, and what the journal recorded when it was given. */
export async function receiptProblems(
  store: LoopStore,
  id: string,
  about: { receipt: Receipt; baseline: Baseline | undefined; key: Uint8Array },
): Promise<ReceiptProblem[]> {
  const { receipt, baseline, key } = about;
  const events = (await Array.fromAsync(store.events(id))).map(({ event }) => event);
  const since = events.findLastIndex((event) =>
    receiptsIn(event).some(({ id }) => id === receipt.id),
  );
  const given = receiptsIn(events[since]).findLast((one) => one.id === receipt.id);
  // The newest one of a state that went back has lost its tests; the journal has them.
  const isShort = receipt.tests === undefined && given?.seal === receipt.seal;
  const found = sealProblems(isShort && given ? given : receipt, key);
  if (found.length === 0 && (baseline ? digestOf(baseline) : null) !== receipt.baseline_digest) {
    found.push(
      problem("receipt", "The baseline is not the one that the receipt was judged beside."),
    );
  }
  const tried = events.slice(since + 1).flatMap(editsOfReceipts);
  if (tried.length > 0) {
    const message =
      "The receipts in the state file were edited by another program; the recorded ones were put back.";
    found.push(problem("receipt", message, tried));
  }
  if (!given) {
    found.push(
      problem(
        "receipt",
        "The journal does not know this receipt: no VALIDATE of this loop gave it.",
      ),
    );
  } else if (given.seal !== receipt.seal) {
    found.push(problem("receipt", "The receipt is not the one that the journal recorded."));
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

/** The fields of receipts that an external edit had otherwise; they were kept aside. */
function editsOfReceipts(event: LoopEvent): readonly string[] {
  if (event.type !== "external.edited") return [];
  return (event.kept_aside ?? []).filter((path) => /^receipts\b/.test(path));
}
