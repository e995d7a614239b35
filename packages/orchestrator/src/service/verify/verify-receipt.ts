import {
  type Baseline,
  LoopError,
  type LoopState,
  PORTABLE_FORMAT,
  PortableReceipt,
  type Receipt,
  type ReceiptCheck,
  type RevisionOptions,
  type VerifyReceiptOptions,
  type Workspace,
} from "@ccw-loop/core";
import type { OrchestratorDeps } from "../../deps.ts";
import type { SquareDeps } from "../../proof/rooms.ts";
import { sealed } from "../../proof/seal.ts";
import { excluding } from "../../run/left-out.ts";
import { historyFolder } from "../../run/loop-folder.ts";
import { readAt } from "../../run/recorder.ts";
import type { VerifyFileOptions } from "../local-loops.ts";
import { rerunProof } from "./prove-again.ts";
import { receiptProblems, sealProblems } from "./seal-problems.ts";

/** See `LoopService.verify`. */
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
  if (problems.length > 0) return { receipt, result: "falls", problems, square: null };
  const cwd = await historyFolder(deps, id);
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
  const raw = objectIn(text);
  const { data } = PortableReceipt.safeParse(raw);
  if (!data) {
    throw new LoopError(
      "invalid_input",
      `This is no receipt of the format ${PORTABLE_FORMAT}. Write one with: ccw-loop receipt ID > FILE`,
    );
  }
  const { receipt, baseline, accepted, loop_id: loop } = data;
  requireRun(loop, receipt);
  const problems = sealProblems(raw, await deps.sealKey());
  if (problems.length > 0) return { receipt, result: "falls", problems, square: null };
  const workspace = excluding(await deps.workspace(deps.cwd), new Set(options.without));
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

function objectIn(text: string): { seal?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Said by whoever asked.
  }
  return {};
}
