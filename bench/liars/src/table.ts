import type { Kind } from "./case.ts";
import type { Row } from "./verdict.ts";

const HEADS = [
  "case",
  "language",
  "what the agent does",
  "what it claims",
  "ends",
  "by",
  "exit code alone",
  "s",
];
const LONGEST = 60;

/** Rows of one kind as a Markdown table that is readable in a terminal as well. */
export function table(rows: readonly Row[], kind: Kind): string {
  const lines = rows.filter((row) => row.kind === kind).map(cells);
  const widths = HEADS.map((head, n) =>
    Math.max(head.length, ...lines.map((l) => l[n]?.length ?? 0)),
  );
  const line = (parts: readonly string[]) =>
    `| ${parts.map((part, n) => part.padEnd(widths[n] ?? 0)).join(" | ")} |`;
  return [line(HEADS), line(widths.map((width) => "-".repeat(width))), ...lines.map(line)].join(
    "\n",
  );
}

function cells({
  name,
  language,
  about,
  claims,
  ending,
  judgement,
  problem,
  seconds,
}: Row): string[] {
  const mark = {
    right: "",
    "false done": "**FALSE DONE** ",
    refused: "**REFUSED** ",
    broken: "",
    beyond: "",
  };
  return [
    name,
    language,
    about,
    claims,
    judgement === "broken" ? "**broken**" : `${mark[judgement]}${ending?.status}`,
    problem === "" ? (ending?.by ?? "") : problem,
    plain(ending?.tests_exit ?? null),
    seconds.toFixed(1),
  ].map(clipped);
}

/** What a loop that believes exit codes would have made of it. */
function plain(exit: number | null): string {
  return exit === null ? "no run" : exit === 0 ? "done" : "not done";
}

function clipped(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
