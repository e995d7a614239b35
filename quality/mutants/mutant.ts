export { BUBBLEWRAP } from "@ccw-loop/test-runner/clean-room";

/** A defect that was once in the sources, or that a careless change could bring in, and what has to notice it. */
export type Mutant = Defect & ({ test: NoticingTest } | { run: NoticingRun });

export interface Defect {
  /** What is wrong with the program when the change is made, as a full sentence. */
  name: string;
  /** The source file, from the top of the repository. */
  file: string;
  /** Text that stands exactly once in the file. */
  find: string;
  /** What stands there instead in the defective program. */
  replace: string;
}

/** The test that fails then: its file, and a part of its title. */
export interface NoticingTest {
  file: string;
  title: string;
  /** Where one of these commands does not exit with 0, the test is skipped, and the mutant is left out and named. */
  needs?: readonly Command[];
}

export type Command = readonly [program: string, ...args: string[]];

export const GO: Command = ["go", "version"];

/** The run of a judge, such as the simulation, that reports the defect. */
export interface NoticingRun {
  /** A program of the repository and its arguments; without the defect it exits with 0. */
  command: Command;
  /** Text that it prints only then. Its exit code is 1. */
  reports: string;
}
