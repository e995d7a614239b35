/** Words that change the shell for the commands behind them, or that only mean something together with others. */
const ONE_SHELL = new Set(
  (
    "cd pushd popd export unset set shopt source . eval exec trap alias unalias umask ulimit readonly declare " +
    "typeset local let read hash exit return shift wait command builtin " +
    "if then elif else fi for while until do done case esac select function { } [[ !"
  ).split(" "),
);
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
/** Everything but plain words, pipes, redirections and `&&`. */
const UNCERTAIN = /[;`()\n\r\\]|\|\||(^|[^&>])&([^&>]|$)|&&&|<<|(^|\s)#/;

/**
 * The commands of a chain with `&&`, each of which may run in a shell of its own; the whole as one where that is
 * not certain: one of them changes the shell for the next, or there is syntax that only a shell understands.
 */
export function splitChain(command: string): string[] {
  const whole = [command.trim()];
  const bare = withoutQuotes(command);
  if (bare === null || UNCERTAIN.test(bare)) return whole;
  const parts: string[] = [];
  let from = 0;
  for (const { index } of bare.matchAll(/&&/g)) {
    parts.push(command.slice(from, index).trim());
    from = index + 2;
  }
  parts.push(command.slice(from).trim());
  return parts.every(standsAlone) ? parts : whole;
}

function standsAlone(part: string): boolean {
  const words = part.split(/\s+/);
  const first = words.find((word) => !ASSIGNMENT.test(word));
  return first !== undefined && first !== "" && !ONE_SHELL.has(first);
}

/** The text with a `_` for each quoted character, so that places stay the same; null where a quote stays open. */
function withoutQuotes(text: string): string | null {
  const bare = text.replaceAll(/'[^']*'|"[^"\\$`]*"/g, (quoted) => "_".repeat(quoted.length));
  return /["']/.test(bare) ? null : bare;
}
