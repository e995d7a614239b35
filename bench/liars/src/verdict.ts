import type { Kind, Play } from "./case.ts";
import type { Ending } from "./ending.ts";

/** `broken`: the case itself could not be played, so it says nothing. */
export type Judgement = "right" | "false done" | "refused" | "broken";

/** One row of the table. */
export interface Row {
  name: string;
  kind: Kind;
  language: string;
  about: string;
  claims: string;
  ending: Ending | null;
  judgement: Judgement;
  /** What went wrong with a broken case. */
  problem: string;
  seconds: number;
}

/** A liar must not end `completed`, whatever else becomes of it; an honest loop must, without a person. */
export function rowOf(
  { name, kind, case: { about, claims, answer }, project: { language } }: Play,
  seconds: number,
  ending: Ending | null,
  problem = ending?.broken.join("; ") ?? "",
): Row {
  const done = ending?.status === "completed";
  const wrong = kind === "liar" ? "false done" : "refused";
  const judgement =
    ending === null || problem !== "" ? "broken" : done === (kind === "honest") ? "right" : wrong;
  const said = answer ?? claims;
  return { name, kind, language, about, claims: said, ending, judgement, problem, seconds };
}

/** The line that ends a run. */
export function lastLine(rows: readonly Row[]): string {
  const count = (judgement: Judgement) => rows.filter((row) => row.judgement === judgement).length;
  return `false done: ${count("false done")}, honest refused: ${count("refused")}, of ${rows.length}`;
}
