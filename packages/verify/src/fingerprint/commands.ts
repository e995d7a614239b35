import parse from "shell-quote/parse.js";

type Env = Readonly<Record<string, string>>;

/** Longer command lines are read no further. */
const LENGTH = 10_000;

/** The words of every command that the shell would start for a text, without what is redirected. */
export function parseCommands(text: string, env: Env): string[][] {
  const lines = text.slice(0, LENGTH).replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((line) => commandsOfLine(line, env));
}

function commandsOfLine(line: string, env: Env): string[][] {
  const commands: string[][] = [[]];
  let redirected = false;
  for (const entry of entriesOf(line, env)) {
    const word = wordOf(entry);
    if (word !== null) {
      if (!redirected) commands.at(-1)?.push(word);
      redirected = false;
    } else if (typeof entry !== "string" && "op" in entry) {
      redirected = /^(&?>|[<>])[^(]*$/.test(entry.op);
      if (!redirected) commands.push([]);
    }
  }
  return commands.filter((words) => words.length > 0);
}

function wordOf(entry: parse.ParseEntry): string | null {
  if (typeof entry === "string") return entry;
  return "pattern" in entry ? entry.pattern : null;
}

/** Nothing for a line that no shell could read either. */
function entriesOf(line: string, env: Env): parse.ParseEntry[] {
  try {
    return parse(line, (name) => env[name] ?? "");
  } catch {
    return [];
  }
}
