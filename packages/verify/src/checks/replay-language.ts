/** One call of a function of a changed module, with its arguments as JSON. */
export interface Call {
  module: string;
  name: string;
  args: string;
}

/** What a program needs to repeat calls. */
export interface Calls {
  /** The project's folder, in which `modules` are. */
  root: string;
  recorder: string;
  modules: string[];
  calls: Call[];
  /** Milliseconds to wait first: what knows that it was just started has then been running for a while. */
  delay: number;
  /** Whether a test runner runs it. */
  under: boolean;
}

/** A changed module as it is to be recorded. */
export interface Instrumented {
  /** Where the module itself is moved to. */
  moved: string;
  /** What stands in its place. */
  wrapper: string;
}

/** How calls are recorded and repeated in one language. */
export interface ReplayLanguage {
  handles(path: string): boolean;
  /** A file of ours outside of the project, which wrappers and programs load. */
  recorder: { name: string; text: string };
  /** Null for a module that exports nothing. */
  instrument(about: {
    path: string;
    text: string;
    exportsOf: () => Promise<string[]>;
    recorder: string;
    log: string;
    /** Texts of files that load it. */
    users: readonly string[];
  }): Promise<Instrumented | null>;
  /** A program whose last output is a JSON list of the names that a module exports. */
  exportsProgram(file: string): { command: string; args: string[] };
  /** The text of an ordinary program that repeats calls and writes what they gave as a JSON list. */
  replayProgram(calls: Calls, output: string): string;
  /** The same as a test; null for a runner whose dialect is not known. */
  replayTest(
    report: string,
    sample: string,
    folder: string,
    about: { calls: Calls; output: string; title: string },
  ): string | null;
}
