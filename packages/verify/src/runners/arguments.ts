/** A package manager's own call of a script; these hand on only what stands behind `--`. */
const SCRIPT = /^(npm\s+(t|test|run(-script)?\s+\S+)|composer\s+(run(-script)?\s+)?\S+)\s*$/;

/** The command with arguments for the runner at its end. */
export function withArguments(command: string, args: readonly string[]): string {
  const separator = SCRIPT.test(command.trim()) ? " --" : "";
  return `${command}${separator} ${args.map(shellQuoted).join(" ")}`;
}

/** The command with arguments right behind the words that `words` finds last. */
export function withArgumentsAfter(
  command: string,
  words: RegExp,
  args: readonly string[],
): string {
  const at = [...command.matchAll(new RegExp(words.source, "g"))].at(-1);
  if (!at) return command;
  const end = at.index + at[0].length;
  return `${command.slice(0, end)} ${args.map(shellQuoted).join(" ")}${command.slice(end)}`;
}

/** One word for the shell, whatever it holds. */
function shellQuoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
