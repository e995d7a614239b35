/** One call that tests made of something in a changed module, in the order of the recording. */
export interface Call {
  module: string;
  /** The function, or `Class` for a construction, or `Class.method`; `f()` is what `f` gave, and `f.total` a part of that. */
  name: string;
  /** `call` is one of a function that an earlier call gave, `get` reads a getter, and `value` what the module exports. */
  kind: "function" | "new" | "method" | "static" | "call" | "get" | "value";
  /** Constructed objects have a name by which later calls, and arguments, mean them. */
  object?: string | undefined;
  /** The name of what it gave, where that can be used again. */
  result?: string | undefined;
  /** As text from which the language makes them again. */
  args: string;
  /** What it gave to the test, as text that is equal for equal values; null where that cannot be compared. */
  gave: string | null;
}

/** What a test run left in the recorder's log. */
export interface Recording {
  calls: Call[];
  /** What tests used and nothing can repeat. */
  unseen: string[];
  /** Modules of which nothing is recorded but that tests load them, and why an ordinary program cannot. */
  unloadable: ReadonlyMap<string, string>;
  /** What the tests ran with, as far as an ordinary program needs it: the interpreter, and where it looks for modules. */
  program?: string | undefined;
  paths: string[];
  /** Whether the tests have a document, as in a browser. */
  browser: boolean;
  /** The time zone that the tests were started with, as in `TZ`; null where they had none, or not all the same. */
  zone: string | null;
}

/** What a program needs to repeat calls. */
export interface Calls {
  /** The project's folder, in which modules are. */
  root: string;
  recorder: string;
  calls: readonly Omit<Call, "gave">[];
  browser: boolean;
  /** A program has that time zone as its machine's: no variable says so, for tests have that. */
  zone: string | null;
  /** What is left out, for it ended the program before: calls by their place, and modules. */
  without: { calls: readonly number[]; modules: readonly string[] };
}

/** What it needs before. */
export interface Beginning {
  root: string;
  /** Where it looks for modules; empty where that is not known. */
  paths: readonly string[];
  /** Milliseconds to wait at least: what knows that it was just started has then been running for a while. */
  delay: number;
  /** The file by which the program puts its clocks forward, behind the loading of the modules, and by how many milliseconds. */
  clock?: { file: string; ahead: number };
}

/** Files of a room that have to be written, or moved, before tests are run there. */
export interface Changes {
  moved: ReadonlyMap<string, string>;
  written: ReadonlyMap<string, string>;
  /** Variables for the test run. */
  env: Readonly<Record<string, string>>;
}

export interface RecordOptions {
  /** The room. */
  root: string;
  /** Changed sources, by path, with their text. */
  sources: ReadonlyMap<string, string>;
  /** Names that the sources export when an ordinary program loads them; one that it cannot load is missing. */
  exported: ReadonlyMap<string, readonly string[]>;
  /** Those of them that were no functions then. */
  values: ReadonlyMap<string, readonly string[]>;
  /** Our folder outside of the room, and files in it. */
  folder: string;
  recorder: string;
  log: string;
  /** The variables of the test run without ours. */
  env: Readonly<Record<string, string | undefined>>;
  /** Texts of files that may load the sources. */
  users: readonly string[];
  /** What tests are handed in the place of what calls gave. */
  handed: readonly Handed[];
}

/** A call, by what does not change from run to run, and as text what it gives in another use. */
export interface Handed extends Pick<Call, "module" | "name" | "kind" | "args"> {
  value: string;
}

/** How calls are recorded and repeated in one language. */
export interface ReplayLanguage {
  handles(path: string): boolean;
  /** For each module of the project that a test file loads, the paths where it may be. */
  loadedBy(path: string, text: string): string[][];
  /** A file of ours outside of the project, which everything else loads. */
  recorder: { name: string; text: string };
  /** Another one, with `advance`, which puts every clock of a process forward. */
  clock: { name: string; text: string };
  record(options: RecordOptions): Changes;
  /**
   * A command that loads modules and prints lines of a word and JSON: `@load ["path"]`, and then `@names ["path", ["name"], ["name of a value"]]` or
   * `@failed ["path", "why"]`. Null where nobody asks.
   */
  exportsCommand(recorder: string, root: string, paths: readonly string[]): string | null;
  /** Whether a program can be started before anything is recorded: then it waits for the file `told`. */
  waits: boolean;
  /**
   * An ordinary program that repeats the calls of the file `told` and appends JSON lists to `output`: `["load", module]` and then
   * `["loaded", module]` or `["failed", module, why]`, `["call", n]` and then `["gave", n, result, value]`, and `["end"]`; the value
   * is text from which it can be made again, or null.
   */
  program(
    beginning: Beginning,
    about: { told: string; output: string; justStarted: boolean },
  ): { extension: string; text: string };
  /** How that program is started, by the interpreter of the tests where that is known. */
  command(file: string, interpreter: string | undefined): string;
  /** The same as a test in the place of `sample`; null for a runner whose dialect is not known. */
  test(
    report: string,
    sample: { path: string; text: string },
    about: { calls: Calls; output: string; users: readonly string[] },
  ): string | null;
}

/** The title of tests of ours that repeat calls. */
export const REPLAY_TEST_TITLE = "repeats recorded calls";
