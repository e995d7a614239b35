import type { Answer } from "../answer.ts";
import { COMPLETION_SCRIPTS, type Shell } from "../completion/scripts.ts";
import type { Context } from "../context.ts";

/** The script that makes a shell complete. */
export async function completion(_context: Context, shell: Shell): Promise<Answer> {
  const script = COMPLETION_SCRIPTS[shell];
  return { data: { shell, script }, text: script.trimEnd() };
}
