import type {
  AgentScript,
  AgentScriptInput,
} from "../../../packages/testkit/src/agent/script-schema.ts";
import { checkScript } from "../../../packages/testkit/src/agent/scripted-agent.ts";
import { turnFor } from "../../support/script.ts";
import type { Play, Steps } from "./cases.ts";

type Step = NonNullable<AgentScriptInput["turns"][number]["steps"]>[number];

/**
 * The case as a script of the scripted agent. Every turn repeats, so the loop may ask as often as it likes and
 * gets the same answer: a liar does not tire. Throws when a step is none.
 */
export function scriptOf(play: Play): AgentScript {
  const { claims, answer, init, develop, debug, turns } = play.case;
  const planned = {
    message: "One task.",
    state_updates: { tasks: [{ description: taskOf(play) }] },
  };
  const developed = answer ?? { message: claims, state_updates: { summary: claims } };
  const debugged = { message: claims, state_updates: { understanding: claims } };
  const made = [
    turnFor("INIT", planned, stepsOf(play, init)),
    turnFor("DEVELOP", developed, stepsOf(play, develop)),
    turnFor("DEBUG", debugged, stepsOf(play, debug)),
    // Whatever else it is told, such as that its answer cannot be read.
    { repeat: true, action: "DEVELOP", answer: answer ?? { message: claims } },
  ];
  const own = turns.map((given) => ({
    repeat: true,
    ...given,
    steps: stepsOf(play, (given.steps ?? []) as Steps),
  }));
  return checkScript({ turns: [...own, ...made] }, play.name);
}

/** The same for the reviewer of a case; undefined where it has none. */
export function reviewScriptOf({ name, case: { review } }: Play): AgentScript | undefined {
  if (review === undefined) return undefined;
  const answer = JSON.stringify({ action: "REVIEW", ...review });
  return checkScript({ turns: [turnFor("REVIEW", answer)] }, `${name}, review`);
}

/** With the project's pieces in the place of their names. */
export function stepsOf({ name, project }: Play, moves: Steps): Step[] {
  return moves.flatMap((move): Step[] => {
    if (typeof move !== "string") return [move as Step];
    const piece = project.pieces[move];
    if (!piece) throw new Error(`Case ${name} names the piece "${move}", which its project lacks.`);
    return stepsOf({ name, project } as Play, piece);
  });
}

export function taskOf({ case: { task }, project }: Play): string {
  return task ?? project.task;
}
