import type { Code, Edit } from "./code.ts";

/**
 * How expected values are made wrong in the tests of one language. Values that the tests come to while they run are moved
 * there, by a function that is put into the text: a table, a constant and a literal are the same to it.
 */
export interface Mover {
  handles: RegExp;
  /** Strings and comments. */
  quoted: RegExp;
  /** By what a test comes to its end: its brackets, or a line that is indented no deeper. */
  ends: "bracket" | "indent";
  /** Operands of assertions of equality; `call` begins a call of the function for the assertion at a place. */
  edits(code: Code, call: (at: number) => string): Edit[];
  /** Where that function stands, and its text; `ending` are assertions that end the process in the place of being made. */
  helper?: {
    at: (code: Code) => number;
    text: (name: string, ending: readonly number[]) => string;
  };
}
