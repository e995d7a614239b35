import {
  type Cell,
  type CommandRun,
  counted,
  hasPassed,
  type LoopState,
  objectionsTo,
  openObjections,
  type Receipt,
  type ReceiptCheck,
  type Square,
} from "@ccw-loop/core";
import { formatDuration } from "../text/amounts.ts";
import { painter, type Tone, type TonedLine } from "../text/paint.ts";
import { type NamedRow, table } from "../text/table.ts";
import { comparisonRows, comparisonText, countsText, firstLines, objectionText } from "./proof.ts";

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
    ...(receipt.square?.remarks ?? []),
    `receipt ${receipt.id}, tree ${receipt.tree_after?.slice(0, 12) ?? "not named"}`,
  ];
}

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
    ["Objections", receipt.objections.map(objectionText)],
    ["Started", [receipt.started_at]],
    ["Duration", [formatDuration(receipt.duration_ms)]],
    [
      "Tree",
      [`${receipt.tree_before ?? "unknown"} before`, `${receipt.tree_after ?? "unknown"} after`],
    ],
    ["Checkpoint", receipt.checkpoint === null ? [] : [receipt.checkpoint]],
    ["Test files", files.map(([path, digest]) => `${digest.slice(0, 12)}  ${path}`)],
    ["Test digest", receipt.tests_digest === null ? [] : [receipt.tests_digest]],
    ["Seal", [receipt.seal ?? "none"]],
  ];
}

const VERDICTS: Readonly<Record<CommandRun["verdict"], string>> = {
  passed: "passed",
  tests_failed: "failed",
  untrusted: "not trusted",
};

/** `npm test: failed (vitest, 3 passed, 1 failed, exit code 1, 2.1s)`. */
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

/** One of the four runs of a square: what it is called, and what came out in a few words. */
export interface SquareCell {
  name: "baseline" | "verdict" | "counterfactual" | "present";
  text: string;
  tone: Tone;
}

export const SQUARE_HEAD = ["sources at the start", "sources now"] as const;

/** The four runs of a proof: which tests down, which sources across (`SQUARE_HEAD`). */
export function squareGrid({ cells, tests, doubtful }: Square) {
  const isChanged = tests.length + doubtful.length > 0;
  const cellOf = (name: SquareCell["name"]): SquareCell => {
    const cell = cells[name];
    const tone = cell === null ? "quiet" : isGreen(cell) ? "good" : "bad";
    // Where no test was changed, present tests with old sources are the baseline; a verdict that says no makes the run needless.
    const needless = name === "counterfactual" && cell === null && !isChanged;
    return { name, tone, text: needless ? "(no test was changed)" : cellText(cell) };
  };
  return [
    { tests: "tests at the start", cells: [cellOf("baseline"), cellOf("verdict")] },
    { tests: "tests now", cells: [cellOf("counterfactual"), cellOf("present")] },
  ] as const;
}

function isGreen({ counts, exit_code }: Cell): boolean {
  return counts.total === 0 ? exit_code === 0 : counts.failed === 0;
}

/** The same as the texts of a table, head first. */
export function squareTexts(square: Square): string[][] {
  const rows = squareGrid(square).map(({ tests, cells }) => [
    tests,
    ...cells.map(({ text }) => text),
  ]);
  return [["", ...SQUARE_HEAD], ...rows];
}

function squareTable(square: Square): string[] {
  const [head = [], ...rows] = squareTexts(square);
  const lines = rows.map((cells) => ({ tone: "plain", cells }) as const);
  return table(head, lines, { columns: undefined, paint: painter(false) });
}

/** Everything else that a square says, as rows of a name and values. */
function squareRows(square: Square | undefined): NamedRow[] {
  if (!square) return [];
  const { cells } = square;
  const room = [cells.verdict, cells.counterfactual, cells.start].filter((cell) => cell !== null);
  return [
    ["Square", squareTable(square)],
    ["Red in the verdict", firstLines(cells.verdict?.failed ?? [])],
    ["Witnesses", firstLines(square.witnesses)],
    ["Judged in place", firstLines(square.in_place)],
    ["Sources", firstLines(square.sources)],
    ["Tests changed", firstLines(square.tests)],
    ["Doubtful files", firstLines(square.doubtful)],
    [
      "Checks",
      square.checks.map(
        ({ kind, result, reason }) => `${kind}: ${result.replaceAll("_", " ")}. ${reason}`,
      ),
    ],
    ["Remarks", square.remarks],
    ["In clean rooms", room.length === 0 ? [] : [roomText(room, square.checks)]],
  ];
}

function roomText(room: readonly Cell[], checks: Square["checks"]): string {
  const sum = (all: readonly { duration_ms: number }[]) =>
    all.reduce((ms, { duration_ms }) => ms + duration_ms, 0);
  const runs = `${counted(room.length, "test run")}, ${formatDuration(sum(room))}`;
  const more = sum(checks);
  return more === 0 ? runs : `${runs}; checks, ${formatDuration(more)}`;
}

function cellText(cell: Cell | null): string {
  if (cell === null) return "not run";
  const { counts, exit_code } = cell;
  if (counts.total === 0) return exit_code === 0 ? "passed" : `exit code ${exit_code ?? "none"}`;
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  return counts.failed === 0
    ? `${counts.passed} green${skipped}`
    : `${counts.passed} green, ${counts.failed} red${skipped}`;
}

/** Whether a receipt stands, in one sentence. `of` names the loop or the file. */
export function checkSentence(of: string, { result, problems }: ReceiptCheck): [Tone, string] {
  const count = counted(problems.length, "problem");
  if (result === "stands") return ["good", `The receipt of ${of} stands.`];
  if (result === "falls") return ["bad", `The receipt of ${of} does not stand: ${count}.`];
  return ["warning", `Whether the receipt of ${of} stands cannot be told here.`];
}

export function checkRows({ receipt, square }: ReceiptCheck): NamedRow[] {
  return [
    ["Receipt", [`${receipt.id}, ${receipt.started_at}`]],
    ["Files", [`tree ${receipt.tree_after?.slice(0, 12) ?? "not named"}`]],
    ["Command", square === null ? ["not run"] : [square.cells.present.command]],
    ...squareRows(square ?? undefined),
  ];
}

/** Everything that does not fit, each with the first of its details. */
export function checkProblems({ problems }: ReceiptCheck): { text: string; details: string[] }[] {
  return problems.map(({ message, details }) => ({ text: message, details: firstLines(details) }));
}

/** What the newest receipt of a loop proves, in one sentence. */
export function proofText(state: LoopState, receipt: Receipt): TonedLine {
  const line = (tone: Tone, text: string) => ({ tone, text });
  const { waived, passed, reason } = receipt;
  if (waived !== undefined)
    return line("warning", `It proves nothing: the tests were waived (${waived}).`);
  if (!passed) return line("bad", `It proves that the work is not done: ${reason}`);
  if (!hasPassed(state)) {
    const text = "It proves an earlier state: these tests passed, but something changed since.";
    return line("warning", text);
  }
  const open = openObjections(state).length;
  if (open > 0) {
    const word = open === 1 ? "objection stands" : "objections stand";
    return line("warning", `These tests passed, but ${open} ${word} against the proof.`);
  }
  const accepted = objectionsTo(state).length;
  if (accepted > 0) {
    const word = accepted === 1 ? "an objection was" : `${accepted} objections were`;
    return line("warning", `These tests passed, and ${word} accepted: that is no proof.`);
  }
  return line("good", "It proves the work: these tests passed on the files as the loop left them.");
}
