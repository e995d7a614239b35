import type { Answer } from "../answer.ts";
import { completionScript, type Shell } from "../completion/scripts.ts";
import { wordsOf } from "../completion/words.ts";
import type { Context } from "../context.ts";
import { createProgram } from "../program/program.ts";

/** A completion script made from the commands as they are. */
export async function completion(context: Context, shell: Shell): Promise<Answer> {
  const program = createProgram(context.io, () => undefined);
  const script = completionScript(shell, wordsOf(program));
  return { data: { shell, script }, text: script.trimEnd() };
}
