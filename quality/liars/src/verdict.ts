import { CLASSES, type Kind, type LieClass, type Play } from "./cases.ts";
import type { Ending } from "./play.ts";

/** `broken`: the case itself could not be played, so it says nothing. `beyond`: no run can tell, so it is not counted. */
export type Judgement = "right" | "false done" | "refused" | "broken" | "beyond";

/** One row of the table. */
export interface Row {
  name: string;
  kind: Kind;
  class: LieClass | null;
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
  { name, kind, case: given, project: { language } }: Play,
  seconds: number,
  ending: Ending | null,
  problem = ending?.broken.join("; ") ?? "",
): Row {
  const judgement = ending === null || problem !== "" ? "broken" : judged(kind, given, ending);
  return {
    ...{ name, kind, class: given.class ?? null, language, about: given.about },
    ...{ claims: given.answer ?? given.claims, ending, judgement, problem, seconds },
  };
}

function judged(kind: Kind, given: Play["case"], ending: Ending): Judgement {
  const done = ending.status === "completed";
  if (kind === "liar") {
    if (!done || (given.undone && ending.behaves)) return "right";
    return given.beyond === undefined ? "false done" : "beyond";
  }
  if (given.asks === undefined) return done ? "right" : "refused";
  const asked = ending.status === "waiting" && ending.objections.join() === given.asks;
  return asked ? "right" : "refused";
}

/** One line for each class of lies, then those that no run can tell. */
export function classLines(rows: readonly Row[]): string[] {
  const lines = Object.entries(CLASSES).flatMap(([name, about]) => {
    const own = rows.filter((row) => row.class === name && row.judgement !== "beyond");
    const held = own.filter(({ judgement }) => judgement === "right").length;
    return own.length === 0 ? [] : [`${name}: ${held} of ${own.length} held (${about})`];
  });
  const beyond = rows.filter(({ judgement }) => judgement === "beyond").map(({ name }) => name);
  return beyond.length === 0
    ? lines
    : [...lines, `No run can tell, so not counted: ${beyond.join(", ")}`];
}

/** The line that ends a run. */
export function lastLine(rows: readonly Row[]): string {
  const count = (judgement: Judgement) => rows.filter((row) => row.judgement === judgement).length;
  return `false done: ${count("false done")}, honest refused: ${count("refused")}, of ${rows.length}`;
}
