import type { ReceiptCheck } from "@ccw-loop/core";
import type { Paint } from "@ccw-loop/view";
import { countsText, few, formatDuration, inertLine, namedRows } from "@ccw-loop/view";

const PLACES: Readonly<Record<ReceiptCheck["where"], string>> = {
  checkout: "run again in a clean checkout of the tested files",
  in_place: "run again in the project itself: there is no other copy of the tested files",
  nowhere: "not run again",
};

/** What was checked, what the same tests say now beside what is recorded, and everything that does not fit. */
export function checkText(id: string, check: ReceiptCheck, paint: Paint): string {
  const { receipt, ok, problems, where } = check;
  const count = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  const files = Object.keys(receipt.test_files).length;
  const stands = receipt.passed
    ? paint("good", `The receipt of loop ${id} stands.`)
    : paint("care", `The receipt of loop ${id} stands, but proves nothing: its tests failed.`);
  const first = ok ? stands : paint("bad", `The receipt of loop ${id} does not stand: ${count}.`);
  const rows = namedRows(
    [
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
    ],
    paint,
  );
  const found = problems.flatMap(({ message, details }) => [
    `${paint("bad", "✖")} ${inertLine(message)}`,
    ...few(details).map((detail) => `    ${inertLine(detail)}`),
  ]);
  return [first, ...rows, ...(found.length > 0 ? ["", ...found] : [])].join("\n");
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
