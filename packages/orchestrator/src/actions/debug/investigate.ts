import {
  type DebugUpdates,
  debugUpdates,
  failingTests,
  type Hypothesis,
  type TaskProposal,
} from "@ccw-loop/core";
import type { PromptName } from "../../prompts.ts";
import type { Execution } from "../../run/context.ts";
import { askAgent } from "../../turns/turn.ts";
import { contextValues, failures, stallNote } from "../prompt-values.ts";
import { evidenceText, hypothesesText, rejectedProbesText, repeatedText } from "./evidence-text.ts";
import { HypothesisSet } from "./hypothesis-set.ts";
import { type Probes, probesOf, recordHypotheses, runRound } from "./probes.ts";

const ROUNDS = 3;

export interface Finding {
  kind: "found";
  message: string;
  active_bug: string | null;
  understanding: string;
  hypotheses: Hypothesis[];
  cause: Hypothesis | undefined;
  fix_tasks: TaskProposal[];
}

/** How it ends without one. */
type Ended = { kind: "question"; prompt: string } | { kind: "failed"; message: string };

type Answer = { kind: "answer"; updates: DebugUpdates; probes: Probes; message: string };

/**
 * Asks for hypotheses with probes, runs the probes, shows the agent what came of them, and repeats, until a cause is
 * confirmed or the rounds are used up.
 */
export async function investigate(execution: Execution): Promise<Finding | Ended> {
  const { state } = execution;
  const debug = state.skill_state?.debug;
  const repeats = (state.action?.attempt ?? 1) > 1;
  const file = new HypothesisSet(debug?.hypotheses ?? [], (debug?.iteration ?? 0) + 1, repeats);
  const last = (repeats ? 0 : file.round) + ROUNDS;
  const said: Answer[] = [];
  const ask = async (name: PromptName): Promise<Answer | Ended> => {
    const sentBack = said.at(-1)?.probes.problems ?? [];
    const answer = await askFor(execution, { name, file, last, sentBack });
    if (answer.kind === "answer") said.push(answer);
    return answer;
  };

  // What is on record of this DEBUG was shown to nobody, if the process did not live to ask.
  const goesOn = repeats && file.round > 0;
  let answer = await ask(goesOn ? "verdict" : "debug");
  if (answer.kind === "answer" && !goesOn && !leadsOn(file, answer)) {
    answer = await ask("ask-probe");
  }
  for (;;) {
    if (answer.kind !== "answer") return answer;
    const { due } = answer.probes;
    if (file.cause(answer.updates.confirmed_hypothesis) || due.length === 0) break;
    if (file.round >= last) break;
    await recordHypotheses(execution, file.touched);
    await runRound(execution, file, due);
    answer = await ask("verdict");
  }
  return findingOf(file, said);
}

/** Whether a probe is to be run, or the cause is known already. */
function leadsOn(file: HypothesisSet, { updates, probes }: Answer): boolean {
  return file.cause(updates.confirmed_hypothesis) !== undefined || probes.due.length > 0;
}

interface Asking {
  name: PromptName;
  file: HypothesisSet;
  /** The last round. */
  last: number;
  /** Why probes of the answer before were not run. */
  sentBack: readonly string[];
}

async function askFor(
  begun: Execution,
  { name, file, last, sentBack }: Asking,
): Promise<Answer | Ended> {
  const execution = name === "debug" ? begun : await upToDate(begun);
  const { state } = execution;
  const left = Math.max(0, last - file.round);
  const prompt = await begun.ctx.prompts.render(name, {
    ...(await contextValues(execution)),
    failures: failures(execution),
    knowledge: hypothesesText(file.ideas),
    standstill: stallNote(state),
    repeated: `${repeatedText(file.repeated)}${rejectedProbesText(sentBack)}`,
    evidence: evidenceText(file.shownIn(file.round)),
    rounds_left: String(left),
  });
  const result = await askAgent(execution, "DEBUG", prompt);
  if (result.status === "needs_input") return { kind: "question", prompt: result.message };
  if (result.status === "failed") return { kind: "failed", message: result.message };
  const failing = failingTests(state.skill_state);
  const updates = debugUpdates(file.ideas, failing).safeParse(result.state_updates);
  if (!updates.success) {
    const problem = updates.error.issues[0]?.message;
    return { kind: "failed", message: `The DEBUG answer cannot be used: ${problem}` };
  }
  file.take(updates.data);
  const probes = probesOf(file.ideas, updates.data.to_probe);
  return { kind: "answer", updates: updates.data, probes, message: result.message };
}

/** With what the turns so far have used, for the limits. */
async function upToDate(execution: Execution): Promise<Execution> {
  const { deps, id } = execution.ctx;
  return { ...execution, state: (await deps.store.read(id)).state };
}

/** The newest statement of each kind; rejected repetitions are part of the understanding. */
function findingOf(file: HypothesisSet, said: readonly Answer[]): Finding {
  const latest = (of: (answer: Answer) => string | null) =>
    said.map(of).findLast((text) => text !== null && text !== "") ?? null;
  const last = said.at(-1)?.updates;
  const message = latest((answer) => answer.message) ?? "";
  const understanding = latest(({ updates }) => updates.understanding) ?? message;
  const hypotheses = file.conclude();
  return {
    kind: "found",
    message,
    active_bug: latest(({ updates }) => updates.active_bug),
    understanding: [understanding, ...file.repeated].filter(Boolean).join("\n"),
    hypotheses,
    cause: file.cause(last?.confirmed_hypothesis ?? null),
    fix_tasks: last?.fix_tasks ?? [],
  };
}
