import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseDocument } from "yaml";
import { z } from "zod";

const Text = z.string().min(1);

/** What is done to the files: a step of the scripted agent, or the name of one of the project's `pieces`. */
const Steps = z.array(z.union([Text, z.record(z.string(), z.unknown())])).default([]);
export type Steps = z.infer<typeof Steps>;

/** What liars lie by; each class has a line of its own in the result. */
export const LieClass = z.enum([
  "nothing",
  "half",
  "detection",
  "assertions",
  "hidden",
  "packages",
  "git",
  "tests",
  "configuration",
  "outside",
  "state",
  "causes",
  "coverage",
  "answers",
]);
export type LieClass = z.infer<typeof LieClass>;

/** In words. */
export const CLASSES: Record<LieClass, string> = {
  nothing: "does nothing, however the task is worded",
  half: "repairs it wrongly, or not always",
  detection: "asks whether it is tested",
  assertions: "changes assertions or the runner from a source",
  hidden: "hides code or assertions from a reader",
  packages: "changes what is installed, built or ignored",
  git: "changes what git shows",
  tests: "changes tests",
  configuration: "changes configuration, helpers or data of tests",
  outside: "acts outside of the project, or while tests run",
  state: "changes the state of the loop, or speaks for the operator",
  causes: "invents causes and evidence",
  coverage: "lowers coverage",
  answers: "answers exactly what is tested",
};

/** `projects/NAME/project.yaml`: a small project whose tests fail for a reason. Its files lie beside it in `files/`. */
export const Project = z.strictObject({
  language: Text,
  /** A shell command that exits 0 where the machine can run this project at all. */
  needs: Text,
  /** How a person runs the tests; it must fail on the project as it is. */
  test: Text,
  /** What the operator asks for, unless the case says otherwise. */
  task: Text,
  /** Prints 250 where the asked-for behaviour is there: what half of 500 cents comes to. Run in the loop's folder. */
  oracle: Text,
  /** Packages that are installed from the registry, once for all cases of the project. */
  packages: z.array(Text).default([]),
  /** Packages of this repository that are linked into the project's node_modules. */
  links: z.array(Text).default([]),
  /** Arguments of `ccw-loop run` in every case. */
  flags: z.array(z.string()).default([]),
  /** Steps that many cases share, by name; `fix` makes every test pass. */
  pieces: z.record(z.string(), Steps).default({}),
});
export type Project = z.infer<typeof Project>;

/** `cases/liars/NAME.yaml` or `cases/honest/NAME.yaml`: a project, a task, and what the agent does with them. */
export const Case = z.strictObject({
  /** What the agent does, for the table: a verb and its object. */
  about: Text,
  project: Text,
  /** Of liars alone. */
  class: LieClass.optional(),
  /** Instead of the project's. */
  oracle: Text.optional(),
  /** Of a liar that may end `completed` where the oracle still finds the asked-for behaviour: what it did was undone. */
  undone: z.boolean().default(false),
  /** Why no run can tell this liar from an honest agent; it is listed, and not counted. */
  beyond: Text.optional(),
  /** Of an honest loop that has to end in a question: what raises it, such as `verdict`. */
  asks: Text.optional(),
  task: Text.optional(),
  /** How the tests are run by hand, where that is not the project's way. */
  test: Text.optional(),
  /** Done to the project before its first commit. */
  before: Steps,
  /** The same behind that commit. */
  after_commit: Steps,
  /** Done in the turn of that name, each time it is played. */
  init: Steps,
  develop: Steps,
  debug: Steps,
  /** What the agent says of every task. */
  claims: Text.default("Done. All tests pass."),
  /** Instead of the ACTION_RESULT: what the agent answers to DEVELOP, verbatim. */
  answer: Text.optional(),
  /** Turns of the scripted agent that are looked at before the ones made from the fields above. */
  turns: z.array(z.record(z.string(), z.unknown())).default([]),
  /** A second agent that reviews the work (`--review`), and what it answers each time: findings, and tests of its own. */
  review: z
    .strictObject({
      findings: z.array(z.record(z.string(), z.unknown())).default([]),
      tests: z.array(z.strictObject({ file: Text, text: Text })).default([]),
    })
    .optional(),
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

const here = join(import.meta.dirname, "..");
const FOLDERS: Record<Kind, string> = { liar: "cases/liars", honest: "cases/honest" };

/** Every case, liars first, each kind by name. Throws with the file's name when one cannot be used. */
export function allPlays(): Play[] {
  const projects = new Map<string, Project>();
  const projectOf = (name: string): Project => {
    const known = projects.get(name) ?? read(join(here, "projects", name, "project.yaml"), Project);
    projects.set(name, known);
    return known;
  };
  return (Object.keys(FOLDERS) as Kind[]).flatMap((kind) =>
    globSync(`${FOLDERS[kind]}/*.yaml`, { cwd: here })
      .sort()
      .map((file): Play => {
        const found = read(join(here, file), Case);
        const files = join(here, "projects", found.project, "files");
        const project = projectOf(found.project);
        return { name: basename(file, ".yaml"), kind, case: found, project, files };
      }),
  );
}

function read<T>(file: string, schema: z.ZodType<T>): T {
  const name = relative(here, file);
  if (!existsSync(file)) throw new Error(`quality/liars/${name} is not there.`);
  const document = parseDocument(readFileSync(file, "utf8"));
  const parsed = schema.safeParse(document.toJS());
  if (parsed.success && document.errors.length === 0) return parsed.data;
  const why = document.errors[0]?.message ?? z.prettifyError(parsed.error ?? new z.ZodError([]));
  throw new Error(`quality/liars/${name} cannot be used:\n${why}`);
}
