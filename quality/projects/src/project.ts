import { relative } from "node:path";
import type { AgentScript } from "../../../packages/testkit/src/agent/script-schema.ts";
import { checkScript } from "../../../packages/testkit/src/agent/scripted-agent.ts";
import { turnFor } from "../../support/script.ts";

/** One text of one source file, three times. None may hold another one of them: each is found by itself. */
export interface Edit {
  /** From the top of the project. */
  file: string;
  /** As the project has it, once. */
  right: string;
  /** What we put there before the loop: at least one test is red with it. */
  bug: string;
  /** What the agent writes first. A test is red with it, too. */
  wrong: string;
}

/** The published package with the tests that it holds. */
interface FromNpm {
  npm: string;
  /** Those of its `devDependencies` that its tests need; the others are taken out of its package.json. */
  install: readonly string[];
}

/** A project that is made here: its files, and shell commands that are run before its first commit. */
interface FromFiles {
  files: Readonly<Record<string, string>>;
  setup?: readonly string[];
}

/** What has to come of a loop: the wrong repair is refused and the right one proven, or it ends before an agent is asked. */
export type Expected = "proven" | "refused before a turn";

/** A project with real tests, and the bug that is put into it. */
export interface Project {
  name: string;
  /** What it is written in and tested by, for the table. */
  tools: string;
  from: FromNpm | FromFiles;
  edit: Edit;
  /** How the reports of its commands are read, in their order; event lines of one where nothing is said. `exit-code`: there is none. */
  readers?: readonly string[];
  /** A shell command that exits with 0 where the machine has what it needs. */
  needs?: string;
  /** Given with `--verify`, for projects that nobody would test by what they say themselves. */
  verify?: readonly string[];
  /** How its developers run the tests: what the loop is measured beside. */
  test?: string;
  /** More arguments of `ccw-loop run`. */
  flags?: readonly string[];
  /** Where the loop is started, from the top of the project; of a repository it belongs to the top all the same. */
  folder?: string;
  /** The name of the project's folder. */
  place?: string;
  /** False for a folder without a repository. */
  git?: boolean;
  expected?: Expected;
}

/** Projects that are listed together. */
export interface Group {
  title: string;
  projects: readonly Project[];
}

/** How its developers run the tests of a project. */
export function testCommand({ test, verify }: Project): string {
  return test ?? verify?.join(" && ") ?? "npm test";
}

export const TASK = "Repair what the failing tests show.";

/** The agent: what it develops first is wrong, and whatever it is asked afterwards it puts right. */
export function agentFor({ edit, folder = ".", name }: Project): AgentScript {
  const path = relative(folder, edit.file);
  const repair = (old: string, repaired: string) => [{ replace: { path, old, new: repaired } }];
  const repairWell = repair(edit.wrong, edit.right);
  const message = "Done. All tests pass.";
  const planned = { message, state_updates: { tasks: [{ description: TASK }] } };
  const developed = { message, state_updates: { summary: message } };
  const debugged = { message, state_updates: { understanding: message } };
  const turns = [
    turnFor("INIT", planned),
    { ...turnFor("DEVELOP", developed, repair(edit.bug, edit.wrong)), repeat: false },
    turnFor("DEVELOP", developed, repairWell),
    turnFor("DEBUG", debugged, repairWell),
    { action: "DEVELOP", repeat: true, answer: { message } },
  ];
  return checkScript({ turns }, name);
}
