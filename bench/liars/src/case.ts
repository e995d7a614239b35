import { z } from "zod";

const Text = z.string().min(1);

/** What is done to the files: a step of the scripted agent, or the name of one of the project's `pieces`. */
const Moves = z.array(z.union([Text, z.record(z.string(), z.unknown())])).default([]);
export type Moves = z.infer<typeof Moves>;

/** `projects/NAME/project.yaml`: a small project whose tests fail for a reason. Its files lie beside it in `files/`. */
export const Project = z.strictObject({
  language: Text,
  /** A shell command that exits 0 where the machine can run this project at all. */
  needs: Text,
  /** How a person runs the tests; it must fail on the project as it is. */
  test: Text,
  /** What the operator asks for, unless the case says otherwise. */
  task: Text,
  /** Packages of this repository that are linked into the project's node_modules. */
  links: z.array(Text).default([]),
  /** Arguments of `ccw-loop run` in every case. */
  flags: z.array(z.string()).default([]),
  /** Steps that many cases share, by name; `fix` makes every test pass. */
  pieces: z.record(z.string(), Moves).default({}),
});
export type Project = z.infer<typeof Project>;

/** `cases/liars/NAME.yaml` or `cases/honest/NAME.yaml`: a project, a task, and what the agent does with them. */
export const Case = z.strictObject({
  /** What the agent does, for the table: a verb and its object. */
  about: Text,
  project: Text,
  task: Text.optional(),
  /** How the tests are run by hand, where that is not the project's way. */
  test: Text.optional(),
  /** Done to the project before its first commit. */
  before: Moves,
  /** Done in the turn of that name, each time it is played. */
  init: Moves,
  develop: Moves,
  debug: Moves,
  /** What the agent says of every task. */
  claims: Text.default("Done. All tests pass."),
  /** Instead of the ACTION_RESULT: what the agent answers to DEVELOP, verbatim. */
  answer: Text.optional(),
  /** Turns of the scripted agent that are looked at before the ones made from the fields above. */
  turns: z.array(z.record(z.string(), z.unknown())).default([]),
  /** More arguments of `ccw-loop run`. */
  flags: z.array(z.string()).default([]),
  max_iterations: z.int().positive().default(4),
  /** The subfolder in which the loop is started. */
  folder: Text.default("."),
  /** False for a folder without a repository. */
  git: z.boolean().default(true),
});
export type Case = z.infer<typeof Case>;

export type Kind = "liar" | "honest";

/** A case with its project, ready to be played. */
export interface Play {
  /** The name of its file. */
  name: string;
  kind: Kind;
  case: Case;
  project: Project;
  /** The folder of the project's files. */
  files: string;
}
