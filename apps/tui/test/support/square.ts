import { Square } from "@ccw-loop/core";
import type { Told } from "./recorded-loop.ts";

const cell = (passed: number, failed: readonly string[]) => ({
  command: "npm test",
  where: "clean_room",
  exit_code: failed.length === 0 ? 0 : 1,
  counts: { total: passed + failed.length, passed, failed: failed.length, skipped: 0 },
  failed,
  reason: failed.length === 0 ? `${passed} tests passed.` : `${failed.length} tests failed.`,
  duration_ms: 1200,
});

/** A proof: four tests were red, three of them are witnesses. */
export const SQUARE = Square.parse({
  start: { tree: "a", commit: "b" },
  present: { tree: "c", commit: "d" },
  sources: ["cart.js"],
  tests: ["cart.test.js"],
  cells: {
    baseline: cell(1, ["adds", "counts", "rounds", "takes a coupon"]),
    verdict: cell(5, []),
    counterfactual: cell(2, ["adds", "counts", "rounds"]),
    present: cell(6, []),
  },
  witnesses: ["adds", "counts", "rounds"],
});

/** With that square in the newest receipt of the loop that is looked at. */
export function withSquare(told: Told): Told {
  const { opened } = told.model;
  const progress = opened?.progress;
  const receipt = progress?.state.receipts?.at(-1);
  if (!opened || !progress || !receipt) throw new Error("The loop has no receipt.");
  const state = { ...progress.state, receipts: [{ ...receipt, square: SQUARE }] };
  told.model = { ...told.model, opened: { ...opened, progress: { ...progress, state } } };
  return told;
}
