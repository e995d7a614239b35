import type { ReceiptCheck } from "@ccw-loop/core";
import { formatDuration } from "../text/duration.ts";
import type { Tone } from "../text/paint.ts";
import type { NamedRow } from "../text/rows.ts";
import { countsText, few } from "./proof.ts";

const PLACES: Readonly<Record<ReceiptCheck["where"], string>> = {
  checkout: "run again in a clean checkout of the tested files",
  in_place: "run again in the project itself: there is no other copy of the tested files",
  nowhere: "not run again",
};

/** Whether a receipt stands, in one sentence. */
export function checkSentence(id: string, { receipt, ok, problems }: ReceiptCheck): [Tone, string] {
  const count = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  if (!ok) return ["bad", `The receipt of loop ${id} does not stand: ${count}.`];
  return receipt.passed
    ? ["good", `The receipt of loop ${id} stands.`]
    : ["care", `The receipt of loop ${id} stands, but proves nothing: its tests failed.`];
}

/** What was checked, and what the same tests say now beside what is recorded. */
export function checkRows(check: ReceiptCheck): NamedRow[] {
  const { receipt, where } = check;
  const files = Object.keys(receipt.test_files).length;
  return [
    ["Receipt", [`${receipt.id}, ${receipt.started_at}`]],
    [
      "Checked",
      [
        "the receipt against its digest and the journal",
        `the files against tree ${receipt.tree_after?.slice(0, 12) ?? "(not named)"}`,
        `${files} ${files === 1 ? "test file" : "test files"}`,
        `${receipt.command}: ${PLACES[where]}`,
      ],
    ],
    ["Recorded", [`${verdictOf(receipt)}, ${runText(receipt)}`]],
    ["Now", [nowText(check)]],
  ];
}

/** Everything that does not fit, each with the first of its details. */
export function checkProblems({ problems }: ReceiptCheck): { text: string; details: string[] }[] {
  return problems.map(({ message, details }) => ({ text: message, details: few(details) }));
}

type Run = Pick<
  ReceiptCheck["receipt"],
  "passed" | "counts" | "exit_code" | "duration_ms" | "reason"
>;

/** Nobody judges a new run beside the baseline: what a receipt refuses for that is the same when the tests are. */
function nowText({ receipt, rerun, problems }: ReceiptCheck): string {
  if (rerun === null) return "no result";
  const differs = problems.some(({ kind }) => kind === "result");
  const same = !differs && rerun.passed !== receipt.passed;
  return `${same ? "the same" : verdictOf(rerun)}, ${runText(rerun)}`;
}

function verdictOf({ passed }: Run): string {
  return passed ? "passed" : "failed";
}

function runText({ passed, counts, exit_code, duration_ms, reason }: Run): string {
  const tests = counts.total > 0 ? [countsText(counts)] : [];
  const why = passed ? "" : ` (${reason})`;
  const run = [...tests, `exit code ${exit_code ?? "none"}`, formatDuration(duration_ms)];
  return `${run.join(", ")}${why}`;
}
