/** One command of a chain, and the folder below the project in which it is run. */
export interface ChainCommand {
  command: string;
  folder?: string;
}

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
/** `(cd FOLDER && …)`, and the same without parentheses, which goes to the end. */
const GROUP = /\(\s*cd\s+('[^']*'|"[^"\\$`]*"|[\w@%+=:,.\-/]+)\s*&&([^()]*)\)/g;
const ENTERED = /^\s*cd\s+('[^']*'|"[^"\\$`]*"|[\w@%+=:,.\-/]+)\s*&&(.*)$/s;

/**
 * The commands of a chain with `&&`, each of which may run in a shell of its own; the whole as one where that is
 * not certain: one of them changes the shell for the next, or there is syntax that only a shell understands.
 * `(cd FOLDER && …)` names the folder of the commands in it.
 */
export function splitChain(command: string): ChainCommand[] {
  const whole = [{ command: command.trim() }];
  const entered = ENTERED.exec(command);
  if (entered) return inFolder(entered[1] ?? "", entered[2] ?? "") ?? whole;
  const groups = [...command.matchAll(GROUP)].map((match) => ({
    at: match.index,
    commands: inFolder(match[1] ?? "", match[2] ?? ""),
  }));
  if (groups.some(({ commands }) => commands === null)) return whole;
  const outside = command.replaceAll(GROUP, (group) => "_".repeat(group.length));
  const places = commandRanges(outside);
  if (places === null) return whole;
  return places.flatMap(([from, to]) => {
    const inside = groups.filter(({ at }) => at >= from && at < to);
    const text = command.slice(from, to).trim();
    const isGroup = inside.length === 1 && /^_+$/.test(outside.slice(from, to).trim());
    return isGroup ? (inside[0]?.commands ?? []) : [{ command: text }];
  });
}

/** Null where the folder is not one below the project, or its commands are not certain. */
function inFolder(word: string, chain: string): ChainCommand[] | null {
  const folder = word.replace(/^(["'])(.*)\1$/s, "$2").replace(/^(\.\/)+|\/+$/g, "");
  if (folder === "" || folder.startsWith("/") || folder.split("/").includes("..")) return null;
  const places = commandRanges(chain);
  return places?.map(([from, to]) => ({ command: chain.slice(from, to).trim(), folder })) ?? null;
}

/** Where the commands of a chain begin and end; null where they cannot be told apart for certain. */
function commandRanges(chain: string): [from: number, to: number][] | null {
  const bare = withoutQuotes(chain);
  if (bare === null || UNCERTAIN.test(bare)) return null;
  const ends = [...bare.matchAll(/&&/g)].map(({ index }) => index);
  const starts = [0, ...ends.map((index) => index + 2)];
  const places = starts.map((from, n): [number, number] => [from, ends[n] ?? chain.length]);
  return places.every(([from, to]) => standsAlone(chain.slice(from, to).trim())) ? places : null;
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
