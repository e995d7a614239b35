import type { Receipt } from "@ccw-loop/core";
import { objectionsToIdleness } from "../proof/objections.ts";
import { receiptId, receiptTerms } from "../proof/receipt.ts";
import { nowOf } from "../run/context.ts";
import type { Execution } from "./action.ts";

/** The operator's own word in the place of a run, for a project without tests; it is no word for work that is not there. */
export async function waivedReceipt({ ctx, state }: Execution, reason: string): Promise<Receipt> {
  const tree = await ctx.workspace.tree();
  return {
    id: receiptId(state),
    iteration: state.current_iteration + 1,
    command: "",
    cwd: ctx.cwd,
    started_at: nowOf(ctx),
    duration_ms: 0,
    exit_code: null,
    report: null,
    counts: { total: 0, passed: 0, failed: 0, skipped: 0 },
    passed: true,
    reason: `Tests are waived by the operator: ${reason}`,
    tree_before: tree,
    tree_after: tree,
    test_files: {},
    waived: reason,
    environment: null,
    commands: [],
    tests_digest: null,
    runs: 1,
    objections: await objectionsToIdleness(ctx, state, { tree_after: tree, written: [] }),
    checkpoint: null,
    ...receiptTerms(state),
  };
}
