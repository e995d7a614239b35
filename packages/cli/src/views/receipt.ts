import type { Receipt } from "@ccw-loop/core";
import { formatDuration } from "../text/duration.ts";
import { countsText } from "./facts.ts";

/** What was run, what came out and what it proves, in a few lines. */
export function receiptLines(receipt: Receipt): string[] {
  if (receipt.waived !== undefined) return [`tests were waived: ${receipt.waived}`];
  const { counts, report, exit_code } = receipt;
  const judged = report === null ? "judged by the exit code alone" : `${report} report`;
  const tests = counts.total > 0 ? countsText(counts) : "no test was counted";
  return [
    `${receipt.command}: ${receipt.passed ? "passed" : "failed"}`,
    `${tests}; exit code ${exit_code ?? "none"}, ${judged}, ${formatDuration(receipt.duration_ms)}`,
    ...(receipt.passed ? [] : [receipt.reason]),
    `receipt ${receipt.id}, tree ${receipt.tree_after?.slice(0, 12) ?? "not named"}`,
  ];
}

/** Every field of a receipt as rows of a name and values. */
export function receiptRows(receipt: Receipt): [string, string[]][] {
  const files = Object.entries(receipt.test_files);
  return [
    ["Receipt", [receipt.id]],
    ["Verdict", [`${receipt.passed ? "passed" : "failed"}: ${receipt.reason}`]],
    ...(receipt.waived === undefined ? [] : [["Waived", [receipt.waived]] as [string, string[]]]),
    ["Command", [receipt.command]],
    ["Folder", [receipt.cwd]],
    ["Exit code", [String(receipt.exit_code ?? "none")]],
    ["Report", [receipt.report ?? "none, judged by the exit code alone"]],
    ["Tests", [`${receipt.counts.total}: ${countsText(receipt.counts)}`]],
    ["Started", [receipt.started_at]],
    ["Duration", [formatDuration(receipt.duration_ms)]],
    [
      "Tree",
      [`${receipt.tree_before ?? "unknown"} before`, `${receipt.tree_after ?? "unknown"} after`],
    ],
    ["Test files", files.map(([path, digest]) => `${digest.slice(0, 12)}  ${path}`)],
  ];
}
