import type { Probe } from "../state/hypothesis.ts";
import { type Prediction, predictionText } from "../state/prediction.ts";
import { code } from "./markdown.ts";

const TESTS_IN_LINE = 10;

export function probeText(command: string | null): string {
  return command === null ? "the project's own tests" : code(command);
}

/** Test names in one line. */
export function testList(tests: readonly string[]): string {
  const shown = tests.slice(0, TESTS_IN_LINE).map((name) => code(name));
  const more = tests.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** What a probe was predicted to show; nothing for one of an older version, which predicted nothing comparable. */
export function predictedLines({ if_holds, if_not }: Probe): string[] {
  const line = (name: string, prediction: Prediction) =>
    prediction.length === 0 ? [] : [`- **${name}**: ${code(predictionText(prediction))}`];
  return [...line("If it holds", if_holds), ...line("If it does not", if_not)];
}
