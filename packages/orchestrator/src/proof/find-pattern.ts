import { createContext, Script } from "node:vm";
import type { FindPattern } from "@ccw-loop/core";

/** How long one search may take: patterns are the agent's, and some take forever. */
const SEARCH_MS = 200;

const search = new Script(`
  const match = new RegExp(pattern, "mu").exec(text);
  match === null ? null : String(match[1] ?? match[0])
`);

/** Regular expressions of the language, ended at a time limit. */
export const findPattern: FindPattern = (pattern, text) => {
  const context = createContext({ pattern, text });
  try {
    return search.runInContext(context, { timeout: SEARCH_MS }) as string | null;
  } catch (cause) {
    const late = (cause as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    const why = late
      ? `it was searched for longer than ${SEARCH_MS} ms`
      : (cause as Error).message.replace(/^Invalid regular expression: /, "");
    throw new Error(`/${pattern}/: ${why}`, { cause });
  }
};
