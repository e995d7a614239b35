import { readFile } from "node:fs/promises";
import { z } from "zod";

const Counts = z.looseObject({ passed: z.int(), failed: z.int(), skipped: z.int() });
const CommandRun = z.looseObject({
  command: z.string(),
  report: z.string().nullable(),
  verdict: z.string(),
});
const Cell = z.looseObject({ where: z.string() }).nullish();

const Receipt = z.looseObject({
  passed: z.boolean(),
  reason: z.string(),
  runs: z.int(),
  objections: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
  square: z
    .looseObject({
      cells: z.looseObject({ start: Cell, verdict: Cell, counterfactual: Cell, present: Cell }),
    })
    .optional(),
});

/** The part of a state file that tells how a loop went. */
const State = z.looseObject({
  status: z.string(),
  outcome: z.looseObject({ code: z.string(), message: z.string() }).nullish(),
  usage: z.looseObject({ turns: z.int() }),
  baseline: z
    .looseObject({ reason: z.string(), counts: Counts, commands: z.array(CommandRun) })
    .nullish(),
  receipts: z.array(Receipt).default([]),
});

/** How a loop went. */
export interface Observed {
  status: string;
  /** Of the end, and what speaks against a proof. */
  why: string;
  turns: number;
  commands: { command: string; report: string | null }[];
  before: { passed: number; failed: number; skipped: number } | null;
  /** What was red at the start: so many tests, and so many commands that have no tests with names. */
  owed: { tests: number; commands: number };
  /** What each VALIDATE came to: `red`, `asks` (for a person) or `proven`. */
  verdicts: string[];
  /** How often the tests were run for the baseline and the verdicts, in place and in clean rooms, without the checks. */
  runs: number;
}

/** Reads it from the loop's state file. */
export async function observedIn(stateFile: string): Promise<Observed> {
  const state = State.parse(JSON.parse(await readFile(stateFile, "utf8")));
  const { status, outcome, usage, baseline, receipts } = state;
  const commands = baseline?.commands ?? [];
  const last = receipts.at(-1);
  const objections = last?.objections.map(({ message }) => message) ?? [];
  const reasons = [outcome?.message, last?.passed === false ? last.reason : "", ...objections];
  const rooms = receipts.map(({ square }) => roomsOf(Object.values(square?.cells ?? {})));
  return {
    status,
    why: reasons.filter(Boolean).join(" · ") || (baseline?.reason ?? ""),
    turns: usage.turns,
    commands: commands.map(({ command, report }) => ({ command, report })),
    before: baseline ? baseline.counts : null,
    owed: {
      tests: baseline?.counts.failed ?? 0,
      commands: commands.filter(({ verdict }) => verdict === "untrusted").length,
    },
    verdicts: receipts.map(verdictOf),
    runs: [baseline ? 1 : 0, ...rooms, ...receipts.map(({ runs }) => runs)].reduce((a, b) => a + b),
  };
}

function verdictOf({ passed, objections, square }: z.infer<typeof Receipt>): string {
  if (!passed) return "red";
  return objections.length > 0 || !square ? "asks" : "proven";
}

function roomsOf(cells: readonly unknown[]): number {
  return cells.filter((cell) => Cell.safeParse(cell).data?.where === "clean_room").length;
}
