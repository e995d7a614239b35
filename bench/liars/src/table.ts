import { cell, columns } from "../../../quality/loops/columns.ts";
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

/** The rows of one kind. */
export function table(rows: readonly Row[], kind: Kind): string {
  const lines = rows.filter((row) => row.kind === kind).map(cells);
  return columns(HEADS, lines);
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
  ].map((text) => cell(text, LONGEST));
}

/** What a loop that believes exit codes would have made of it. */
function plain(exit: number | null): string {
  return exit === null ? "no run" : exit === 0 ? "done" : "not done";
}
