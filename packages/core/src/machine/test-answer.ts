import { LoopError } from "../errors.ts";

/** The two answers where a project has no tests that were found, named as the settings that they become. */
export const TEST_ANSWERS = ["verify", "waive_tests"] as const;

/** The command that runs the tests, or why there are none. */
export type TestAnswer = { verify: string } | { waive_tests: string };

/** The answer that a text is under the option it was given for; without one it is a command. Throws `invalid_input` for no text and for another option. */
export function testAnswer(text: string, option: string = "verify"): TestAnswer {
  const said = text.trim();
  if (said === "") throw new LoopError("invalid_input", "The answer is empty.");
  if (option === "verify") return { verify: said };
  if (option === "waive_tests") return { waive_tests: said };
  throw new LoopError(
    "invalid_input",
    `The question has no option ${JSON.stringify(option)}. Answer under one of: ${TEST_ANSWERS.join(", ")}.`,
  );
}
