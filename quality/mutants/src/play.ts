import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { works } from "@ccw-loop/testkit";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import type { Mutant, NoticingRun, NoticingTest } from "../mutant.ts";
import { copyCheckout } from "./checkout-copy.ts";
import { defective, staleness } from "./known.ts";
import { type Playground, runTests, start, type Verdict } from "./tests.ts";

/** What came of a mutant. */
export interface Outcome {
  name: string;
  /** Null when it was caught; else what to do something about. */
  problem: string | null;
  /** What does not work here and is needed by the test: the mutant was not played. */
  missing?: string | undefined;
  seconds: number;
}

export interface PlayOptions {
  /** How many are played at the same time; 2 by default. */
  workers?: number;
  /** For one start of a program, in milliseconds; 4 minutes by default. All tests together, without a mutant, may take five times as long. */
  limitMs?: number;
  onOutcome?: (outcome: Outcome) => void;
}

/**
 * Plays each mutant in a copy of the checkout: changes the source, and looks whether the named test or run reports it.
 * One that cannot be played, or whose test is red without it, counts as not caught. The checkout itself is only read.
 */
export async function playMutants(
  root: string,
  mutants: readonly Mutant[],
  { workers = 2, limitMs = 240_000, onOutcome = () => undefined }: PlayOptions = {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const tell = (outcome: Outcome) => {
    outcomes.push(outcome);
    onOutcome(outcome);
  };
  const playable = mutants.filter((mutant) => {
    const twice = mutants.find(({ name }) => name === mutant.name) !== mutant;
    const problem = twice ? "Another mutant has the same name." : staleness(root, mutant);
    const missing = problem === null ? missingFor(mutant) : undefined;
    const isPlayable = problem === null && missing === undefined;
    if (!isPlayable) tell({ name: mutant.name, problem, missing, seconds: 0 });
    return isPlayable;
  });
  if (playable.length === 0) return outcomes;
  const folder = temporaryFolder("mutants");
  try {
    const first = playground(root, join(folder, "1"));
    const green = await playedWithout(first, playable, limitMs);
    const line = playable.filter((mutant) => {
      const verdict = green.get(mutant);
      const problem = verdict ? redText(verdict) : null;
      if (problem !== null) tell({ name: mutant.name, problem, seconds: 0 });
      return problem === null;
    });
    const work = async (ground: Playground) => {
      for (let mutant = line.shift(); mutant; mutant = line.shift()) {
        const begun = performance.now();
        const problem = survivalText(await playWith(ground, mutant, limitMs));
        tell({ name: mutant.name, problem, seconds: (performance.now() - begun) / 1000 });
      }
    };
    const more = Array.from({ length: Math.min(workers, line.length) - 1 }, (_, n) =>
      playground(root, join(folder, `${n + 2}`)),
    );
    await Promise.all([first, ...more].map(work));
    return outcomes;
  } finally {
    removeFolder(folder);
  }
}

export function playedOf(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ missing }) => missing === undefined);
}

/** The last line of a run: of the mutants that were played. */
export function mutantsLine(outcomes: readonly Outcome[]): string {
  const played = playedOf(outcomes);
  const caught = played.filter(({ problem }) => problem === null).length;
  return `mutants: ${played.length}, caught: ${caught}`;
}

function missingFor(mutant: Mutant): string | undefined {
  const needs = "test" in mutant ? (mutant.test.needs ?? []) : [];
  return needs.find(([program, ...args]) => !works(program, ...args))?.[0];
}

function playground(root: string, folder: string): Playground {
  const ground = { folder: join(folder, "tree"), temporary: join(folder, "tmp") };
  for (const path of Object.values(ground)) mkdirSync(path, { recursive: true });
  copyCheckout(root, ground.folder);
  return ground;
}

/** How the tests and runs come out without any defect: each once, however many mutants name it. */
async function playedWithout(
  ground: Playground,
  mutants: readonly Mutant[],
  limitMs: number,
): Promise<Map<Mutant, Verdict>> {
  const tests = new Map<string, NoticingTest>();
  const runs = new Map<string, NoticingRun>();
  for (const mutant of mutants) {
    if ("test" in mutant) tests.set(JSON.stringify(mutant.test), mutant.test);
    else runs.set(JSON.stringify(mutant.run), mutant.run);
  }
  const verdicts = new Map<string, Verdict>();
  const all = await runTests(ground, [...tests.values()], 5 * limitMs);
  for (const [n, [key, test]] of [...tests].entries()) {
    const verdict = all[n] ?? { kind: "broken", why: "It was not run." };
    // What is red among many tests may be green alone, as it is run with a mutant.
    const alone = verdict.kind === "passed" ? [verdict] : await runTests(ground, [test], limitMs);
    verdicts.set(key, alone[0] ?? verdict);
  }
  for (const [key, run] of runs) verdicts.set(key, await runJudge(ground, run, limitMs));
  return new Map(
    mutants.flatMap((mutant): [Mutant, Verdict][] => {
      const verdict = verdicts.get(JSON.stringify("test" in mutant ? mutant.test : mutant.run));
      return verdict ? [[mutant, verdict]] : [];
    }),
  );
}

async function playWith(ground: Playground, mutant: Mutant, limitMs: number): Promise<Verdict> {
  const path = join(ground.folder, mutant.file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, defective(text, mutant));
  try {
    if ("run" in mutant) return await runJudge(ground, mutant.run, limitMs);
    const [verdict] = await runTests(ground, [mutant.test], limitMs);
    return verdict ?? { kind: "broken", why: "It was not run." };
  } finally {
    writeFileSync(path, text);
  }
}

async function runJudge(
  { folder, temporary }: Playground,
  { command, reports }: NoticingRun,
  limitMs: number,
): Promise<Verdict> {
  const { code, output } = await start(folder, command, { temporary, limitMs });
  if (code === null) return { kind: "broken", why: `It took longer than ${limitMs / 1000} s.` };
  if (code === 0) return { kind: "passed" };
  if (code === 1 && output.includes(reports)) return { kind: "failed" };
  return {
    kind: "broken",
    why: `${command.join(" ")} ended with ${code} and does not report "${reports}": ${output.trim().slice(-600)}`,
  };
}

function redText(verdict: Verdict): string | null {
  if (verdict.kind === "passed") return null;
  return verdict.kind === "failed"
    ? "What is to notice it is red without it."
    : `Without it: ${verdict.why}`;
}

function survivalText(verdict: Verdict): string | null {
  if (verdict.kind === "failed") return null;
  return verdict.kind === "passed" ? "It survived: nothing failed." : verdict.why;
}
