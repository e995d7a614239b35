import type { Baseline, Cell, CommandRun, Receipt } from "@ccw-loop/core";
import type { Attributes } from "./span.ts";

/** One run of the tests; times in milliseconds since 1970. */
export interface TestRun {
  /** Which run of the square it is, or the check. */
  cell: string;
  start: number;
  end: number;
  attributes: Attributes;
}

type Counted = Pick<Cell, "counts" | "exit_code">;

const attributesOf = ({ counts, exit_code }: Counted): Attributes => ({
  "ccw_loop.tests.total": counts.total,
  "ccw_loop.tests.passed": counts.passed,
  "ccw_loop.tests.failed": counts.failed,
  "ccw_loop.tests.skipped": counts.skipped,
  "process.exit.code": exit_code,
});

/** The run before any change; that it ended when it was recorded is all that is known of when it was. */
export function baselineRuns({ at, commands, counts }: Baseline): TestRun[] {
  const took = commands.reduce((ms, { duration_ms }: CommandRun) => ms + duration_ms, 0);
  if (commands.length === 0) return [];
  const end = Date.parse(at);
  const exit_code = commands.find((one) => one.exit_code !== 0)?.exit_code ?? 0;
  const attributes = attributesOf({ counts, exit_code });
  return [{ cell: "baseline", start: end - took, end, attributes }];
}

/**
 * The runs behind a receipt. It tells when the present was run, and of all others how long they took: they are put one behind
 * the other, in the order in which they are made.
 */
export function validateRuns(receipt: Receipt): TestRun[] {
  if (receipt.waived !== undefined) return [];
  const { square, duration_ms } = receipt;
  const start = Date.parse(receipt.started_at);
  const present = { cell: "present", duration_ms, attributes: attributesOf(receipt) };
  const rooms = (["verdict", "counterfactual"] as const).flatMap((cell) => {
    const run = square?.cells[cell] ?? null;
    return run === null
      ? []
      : [{ cell, duration_ms: run.duration_ms, attributes: attributesOf(run) }];
  });
  const checks = (square?.checks ?? [])
    .filter(({ result }) => result !== "not_run")
    .map(({ kind, duration_ms, result }) => ({
      cell: kind,
      duration_ms,
      attributes: { "ccw_loop.check.result": result },
    }));
  let at = start;
  return [present, ...rooms, ...checks].map(({ duration_ms: took, ...run }) => {
    const begun = at;
    at += took;
    return { ...run, start: begun, end: at };
  });
}
