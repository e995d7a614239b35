import { type Hypothesis, type LoopState, probeEvidence } from "@ccw-loop/core";
import { bench, driven, plan, type Turns, verifierThat, write } from "./support.ts";

export const begun = [plan("one"), write("total.js", "console.log(1 + 1)")] as const;
export const cause = { confirmed_hypothesis: "H1", fix_tasks: [{ description: "round once" }] };

/** Runs a loop whose first test run fails, and whose later ones pass as told. */
export async function run(
  turns: Turns,
  runs: ("pass" | "fail")[] = ["fail", "pass"],
  changes = {},
) {
  const b = bench([...begun, ...turns], verifierThat(...runs), changes);
  const { id, done, state } = await driven(b, { max_iterations: 6 });
  return { ...b, id, state, done: done };
}

/** A prediction of the whole output. */
export const prints = (text: string) => [{ kind: "text", how: "is", text }];

/** An idea with a probe that predicts 2 if it holds and 1 if not, as an agent states it. */
export const idea = (
  id: string,
  description: string,
  command: string | null,
  more: object = {},
) => ({
  id,
  description,
  evidence_criteria: { confirm: "it is printed", reject: "it is not printed" },
  likelihood: 1,
  probe: { command, if_holds: prints("2"), if_not: prints("1") },
  ...more,
});

/** One that is known, without another probe. */
export const known = (id: string) => ({ id, description: "", probe: null });

type Steps = { write: { path: string; content: string } }[];

/** The agent's answer to one prompt of DEBUG: `DEBUG`, `DEBUG VERDICT` or `DEBUG PROBES`. */
export const answers = (
  prompt: string,
  hypotheses: readonly unknown[],
  {
    expect = [],
    steps = [],
    ...updates
  }: { expect?: string[]; steps?: Steps; [key: string]: unknown } = {},
) => ({
  action: "DEBUG",
  when: `/^# ACTION: ${prompt}$/m`,
  expect: [`# ACTION: ${prompt}`, ...expect],
  steps,
  answer: {
    message: "looked",
    state_updates: {
      understanding: "it rounds",
      hypotheses,
      confirmed_hypothesis: null,
      fix_tasks: [],
      ...updates,
    },
  },
});

export function ideaOf(state: LoopState, id: string): Hypothesis {
  const found = state.skill_state?.debug.hypotheses.find((h) => h.id === id);
  if (!found) throw new Error(`No hypothesis ${id} in the state.`);
  return found;
}

export function shown(state: LoopState, id: string) {
  return probeEvidence(ideaOf(state, id)).map(({ data }) => data);
}

/** The commands of a hypothesis' probes, in the order in which they were run. */
export function probesOf(state: LoopState, ...ids: string[]): string[] {
  return ids.flatMap((id) => shown(state, id).map(({ command }) => command));
}
