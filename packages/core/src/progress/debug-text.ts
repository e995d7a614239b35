import { code } from "./markdown.ts";

const TESTS_SHOWN = 10;

export function probeText(command: string | null): string {
  return command === null ? "the project's own tests" : code(command);
}

/** Test names in one line. */
export function testList(tests: readonly string[]): string {
  const shown = tests.slice(0, TESTS_SHOWN).map((name) => code(name));
  const more = tests.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
