import { readFile } from "node:fs/promises";
import { z } from "zod";

const Receipt = z.looseObject({
  passed: z.boolean(),
  reason: z.string(),
  exit_code: z.number().nullable(),
  objections: z.array(z.looseObject({ kind: z.string(), message: z.string() })).default([]),
});

/** The part of the JSON of `ccw-loop run` that tells how a loop ended. */
export const RunJson = z.looseObject({
  data: z.looseObject({
    status: z.string(),
    outcome: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    waiting: z.looseObject({ kind: z.string(), prompt: z.string().nullish() }).nullable(),
    state_file: z.string(),
    receipt: Receipt.nullable(),
  }),
});
type RunData = z.infer<typeof RunJson>["data"];

/** How the command line may leave a loop; anything else (`paused` by an unexpected error) judges nobody. */
const ENDS = ["completed", "failed", "waiting"];

/** How a loop ended. */
export interface Ending {
  /** `completed`, `failed`, or `waiting` for a person. */
  status: string;
  /** The code of the end, or what speaks against the proof. */
  by: string;
  /** In a sentence or two. */
  why: string;
  /** What the tests' exit code alone would have said; null when no test was run. */
  tests_exit: number | null;
  /** Whether the asked-for behaviour is there. */
  behaves: boolean;
  /** What raised the objections of the last receipt. */
  objections: string[];
  /** The steps that the script could not play; then the case itself is wrong. */
  broken: string[];
}

/** Reads the end from the loop's JSON and its journal. */
export async function endingOf(data: RunData): Promise<Omit<Ending, "behaves">> {
  const { outcome, waiting, receipt } = data;
  const objections = receipt?.objections ?? [];
  const kinds = [...new Set(objections.map(({ kind }) => kind))];
  const status = waiting && data.status === "running" ? "waiting" : data.status;
  const code = outcome?.code ?? waiting?.kind ?? "no reason";
  const tests = receipt && !receipt.passed ? `: ${receipt.reason}` : "";
  const reasons = [
    outcome?.message ?? waiting?.prompt ?? "",
    tests.slice(2),
    ...objections.map(({ message }) => message),
  ];
  const broken = await brokenSteps(data.state_file);
  if (!ENDS.includes(status)) broken.push(`The loop is ${status}: ${reasons.join(" ")}`);
  return {
    status,
    by: status === "waiting" && kinds.length > 0 ? kinds.join(", ") : code + tests,
    why: reasons.filter(Boolean).join(" · "),
    objections: kinds,
    tests_exit: receipt?.exit_code ?? null,
    broken,
  };
}

/** An action that failed because its script cannot be played is the case's fault. */
async function brokenSteps(stateFile: string): Promise<string[]> {
  const journal = await readFile(stateFile.replace(/\.json$/, ".journal.jsonl"), "utf8");
  const failures = journal
    .split("\n")
    .filter((line) => line.includes('"action.failed"'))
    .flatMap((line) => {
      const text = JSON.stringify(JSON.parse(line));
      return /Cannot replace text[^"]*|The agent script [^"]*/.exec(text)?.[0] ?? [];
    });
  return [...new Set(failures)];
}
