import { LoopError } from "../errors.ts";
import type { LoopState } from "../state/loop-state.ts";

/** The operator's answer where a project has no tests that were found: the command that runs them, or why there are none. */
export type TestAnswer = { verify: string } | { waive_tests: string };

/** What such an answer looks like, as the end of a sentence. */
export const TEST_ANSWERS =
  "the command that runs its tests, such as: npm test. Where there is nothing to test, answer waive: and why, such as: " +
  "waive: only documentation was changed";

/** Words that answer other questions. As commands they would run something that nobody meant. */
const NO_COMMAND = /^(accept|again|continue|no|none|ok|reject|skip|waive|y|yes)$/i;
const WAIVER = /^(?:waive\s*:|--waive-tests(?:[\s=]|$))\s*(.*)$/is;

/** Whether the loop waits for how its tests are run: VALIDATE has no other question of this kind. */
export function asksForTests({ waiting, action }: LoopState): boolean {
  return waiting?.kind === "input" && waiting.about === undefined && action?.name === "VALIDATE";
}

/** Throws `invalid_input` for an answer that is neither a command nor a reason. */
export function testAnswer(text: string): TestAnswer {
  const given = text.trim();
  const [, waiver] = WAIVER.exec(given) ?? [];
  const said =
    waiver === undefined
      ? given
      : waiver
          .trim()
          .replace(/^(["'])(.*)\1$/s, "$2")
          .trim();
  const isPlaceholder = /^(…|\.{3}|REASON|)$/.test(said) || /^["']?(…|\.{3})["']?$/.test(said);
  if (isPlaceholder || (waiver === undefined && NO_COMMAND.test(said))) {
    throw new LoopError(
      "invalid_input",
      `${JSON.stringify(given)} is neither a command nor a reason. Answer with ${TEST_ANSWERS}`,
    );
  }
  return waiver === undefined ? { verify: said } : { waive_tests: said };
}
