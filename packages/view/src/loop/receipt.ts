import type { CommandRun, Receipt } from "@ccw-loop/core";
import { formatDuration } from "../text/duration.ts";
import type { NamedRow } from "../text/rows.ts";
import { comparisonRows, comparisonText, countsText, objectionText } from "./proof.ts";
import { squareRows, squareTable } from "./square.ts";

/** What was run, what came out and what it proves, in a few lines. */
export function receiptLines(receipt: Receipt): string[] {
  if (receipt.waived !== undefined) return [`tests were waived: ${receipt.waived}`];
  const { counts, report, exit_code, runs, commands } = receipt;
  const judged = report === null ? "judged by the exit code alone" : `${report} report`;
  const tests = counts.total > 0 ? countsText(counts) : "no test was counted";
  const often = runs > 1 ? `, run ${runs} times` : "";
  const compared = comparisonText(receipt.comparison);
  return [
    `${receipt.command}: ${receipt.passed ? "passed" : "failed"}`,
    `${tests}; exit code ${exit_code ?? "none"}, ${judged}, ${formatDuration(receipt.duration_ms)}${often}`,
    ...(commands.length > 1 ? commands.map(commandText) : []),
    ...(receipt.passed ? [] : [receipt.reason]),
    ...(compared === undefined ? [] : [compared]),
    ...(receipt.square ? squareTable(receipt.square) : []),
    `receipt ${receipt.id}, tree ${receipt.tree_after?.slice(0, 12) ?? "not named"}`,
  ];
}

/** Every field of a receipt as rows of a name and values. */
export function receiptRows(receipt: Receipt): NamedRow[] {
  const files = Object.entries(receipt.test_files);
  return [
    ["Receipt", [receipt.id]],
    ["Verdict", [`${receipt.passed ? "passed" : "failed"}: ${receipt.reason}`]],
    ["Waived", receipt.waived === undefined ? [] : [receipt.waived]],
    ["Command", [receipt.command]],
    ["Results", receipt.commands.map(commandText)],
    ["Folder", [receipt.cwd]],
    ["Exit code", [String(receipt.exit_code ?? "none")]],
    ["Report", [receipt.report ?? "none, judged by the exit code alone"]],
    ["Tests", [`${receipt.counts.total}: ${countsText(receipt.counts)}`]],
    ["Runs", [String(receipt.runs)]],
    ...comparisonRows(receipt.comparison),
    ...squareRows(receipt.square),
    [
      "Objections",
      receipt.objections.map((o) => `${o.allowed ? "allowed: " : ""}${objectionText(o)}`),
    ],
    ["Started", [receipt.started_at]],
    ["Duration", [formatDuration(receipt.duration_ms)]],
    [
      "Tree",
      [`${receipt.tree_before ?? "unknown"} before`, `${receipt.tree_after ?? "unknown"} after`],
    ],
    ["Checkpoint", receipt.checkpoint === null ? [] : [receipt.checkpoint]],
    ["Test files", files.map(([path, digest]) => `${digest.slice(0, 12)}  ${path}`)],
    ["Environment", receipt.environment === null ? [] : [receipt.environment]],
    ["Test digest", receipt.tests_digest === null ? [] : [receipt.tests_digest]],
    ["Seal", [receipt.seal ?? "none"]],
  ];
}

const VERDICTS: Readonly<Record<CommandRun["verdict"], string>> = {
  passed: "passed",
  tests_failed: "failed",
  untrusted: "not trusted",
};

/** `npm test: failed (vitest 4.1.0, 3 passed, 1 failed, exit code 1, 2.1s)`. */
function commandText(run: CommandRun): string {
  const facts = [
    ...(run.runner === null ? [] : [run.runner]),
    ...(run.counts.total > 0 ? [countsText(run.counts)] : []),
    `exit code ${run.exit_code ?? "none"}`,
    formatDuration(run.duration_ms),
  ];
  const why = run.verdict === "untrusted" ? ` ${run.reason}` : "";
  return `${run.command}: ${VERDICTS[run.verdict]} (${facts.join(", ")})${why}`;
}
