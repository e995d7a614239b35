import { DEVELOP, GENERATE, INIT } from "./actions.ts";
import { AFTER_CRASH, AFTER_TIMEOUT, CONVERGE, INSTRUCTIONS, REPAIR } from "./conversation.ts";
import { ASK_PROBE, DEBUG, VERDICT } from "./debug.ts";

/** Every prompt by the name of the file that replaces it. */
export const BUILT_IN = {
  instructions: INSTRUCTIONS,
  init: INIT,
  generate: GENERATE,
  develop: DEVELOP,
  debug: DEBUG,
  verdict: VERDICT,
  "ask-probe": ASK_PROBE,
  repair: REPAIR,
  converge: CONVERGE,
  "after-timeout": AFTER_TIMEOUT,
  "after-crash": AFTER_CRASH,
} as const;

export type PromptName = keyof typeof BUILT_IN;
