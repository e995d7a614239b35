import type { Io, Output } from "../io.ts";

/**
 * Whether a stream gets colors. First answer that there is: `--no-color`, NO_COLOR, FORCE_COLOR, TERM=dumb,
 * and then whether it is a terminal.
 */
export function wantsColor(io: Io, stream: Output, flag: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  if (!flag || (NO_COLOR ?? "") !== "") return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return TERM !== "dumb" && stream.isTTY === true;
}
