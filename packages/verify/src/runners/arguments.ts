/** A package manager's own call of a script; npm hands on only what stands behind `--`. */
const NPM_SCRIPT = /^npm\s+(t|test|run(-script)?\s+\S+)\s*$/;

/** The command with arguments for the runner at its end. */
export function withArguments(command: string, args: readonly string[]): string {
  const separator = NPM_SCRIPT.test(command.trim()) ? " --" : "";
  return `${command}${separator} ${args.map(quoted).join(" ")}`;
}

/** One word for the shell, whatever it holds. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
