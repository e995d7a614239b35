/** A defect that was once in the sources, or that a careless change could bring in, and the test that has to notice it. */
export interface Mutant {
  /** What is wrong with the program when the change is made, as a full sentence. */
  name: string;
  /** The source file, from the top of the repository. */
  file: string;
  /** Text that stands exactly once in the file. */
  find: string;
  /** What stands there instead in the defective program. */
  replace: string;
  /** The test that fails then: its file, and a part of its title. */
  test: { file: string; title: string };
}
