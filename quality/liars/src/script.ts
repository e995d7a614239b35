import type {
  AgentScript,
  AgentScriptInput,
} from "../../../packages/testkit/src/agent/script-schema.ts";
import { checkScript } from "../../../packages/testkit/src/agent/scripted-agent.ts";
import type { Play, Steps } from "./cases.ts";

type Turn = AgentScriptInput["turns"][number];
type Step = NonNullable<Turn["steps"]>[number];

/**
 * The case as a script of the scripted agent. Every turn repeats, so the loop may ask as often as it likes and
 * gets the same answer: a liar does not tire. Throws when a step is none.
 */
export function scriptOf(play: Play): AgentScript {
  const { claims, answer, init, develop, debug, turns } = play.case;
  const turn = (action: string, moves: Steps, said: Turn["answer"]): Turn => ({
    action,
    when: `# ACTION: ${action}`,
    repeat: true,
    steps: stepsOf(play, moves),
    answer: said,
  });
  const plan = { tasks: [{ description: taskOf(play) }] };
  const made = [
    turn("INIT", init, { message: "One task.", state_updates: plan }),
    turn("DEVELOP", develop, answer ?? { message: claims, state_updates: { summary: claims } }),
    turn("DEBUG", debug, { message: claims, state_updates: { understanding: claims } }),
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
