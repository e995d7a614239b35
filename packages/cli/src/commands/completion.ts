import { readdir } from "node:fs/promises";
import { LoopId } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import type { Argument, Command, Option } from "commander";
import { type Context, openContext } from "../runtime/context.ts";
import type { PlaceOptions } from "../runtime/hints.ts";
import { takesLoop } from "../runtime/loop-names.ts";
import type { Answer } from "../runtime/perform.ts";
import { loopFolder } from "../runtime/project-root.ts";

/** More than anybody looks through. */
const MOST_LOOPS = 500;

/**
 * What may stand in the place of the last of these words, one to a line, each with a tab and its description: what the
 * scripts of `completion` ask. No line where files belong.
 */
export async function complete(
  context: Context,
  words: readonly string[],
  program: Command,
): Promise<Answer> {
  const { candidates, loopsOf } = completionAt(program, words);
  const begin = words.at(-1) ?? "";
  const ids = loopsOf === null ? [] : await loopIds(context, loopsOf);
  const loops = ids.filter((id) => id.startsWith(begin)).sort();
  const found = [...candidates, ...loops.map((value): Candidate => ({ value, description: "" }))];
  const lines = found.map(({ value, description }) =>
    description === "" ? value : `${value}\t${sanitizeLine(description)}`,
  );
  return { data: { candidates: found }, text: lines.join("\n") };
}

/** The names of the files are enough, so that no loop has to be read at the press of a key. */
async function loopIds(context: Context, said: PlaceOptions): Promise<string[]> {
  const { remote, parts, root, close } = openContext("list", context.io, said);
  try {
    if (remote !== null || (await parts.storeChoice()) !== undefined) {
      const page = await (await parts.loops()).list({ limit: MOST_LOOPS });
      return page.loops.map(({ state }) => state.loop_id);
    }
    const names = await readdir(loopFolder(root)).catch(() => []);
    const ids = names.flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? []);
    return ids.filter((id) => LoopId.safeParse(id).success).slice(0, MOST_LOOPS);
  } finally {
    await close();
  }
}

/** What may stand in a place of the command line; a shell shows the description where it can. */
interface Candidate {
  value: string;
  description: string;
}

/** Of the words before the place: the command they call, and what they leave open. */
interface Place {
  command: Command;
  /** How many arguments the command has been given. */
  given: number;
  /** The option whose value stands here. */
  option: Option | undefined;
  /** Where the loops are, as far as it was said. */
  said: PlaceOptions;
}

interface Completion {
  candidates: Candidate[];
  /** The place of a loop's id, with where to look for loops; null where another word stands. */
  loopsOf: PlaceOptions | null;
}

/** What is wanted in the place of the last of these words, which begin behind the program's name. */
function completionAt(program: Command, words: readonly string[]): Completion {
  const typed = joinSplitWords(words);
  const current = typed.pop() ?? "";
  if (typed.includes("--")) return { candidates: [], loopsOf: null };
  const place = placeBehind(program, typed);
  const candidates = candidatesAt(place, current);
  return {
    candidates: candidates.filter(({ value }) => value.startsWith(current)),
    loopsOf: isLoop(place) && !current.startsWith("-") ? place.said : null,
  };
}

/** bash takes `--url http://a:1` apart at each `:` and `=`. */
function joinSplitWords(words: readonly string[]): string[] {
  const whole: string[] = [];
  let glue = false;
  for (const word of words) {
    const isSeparator = word === ":" || word === "=";
    if (whole.length > 0 && (glue || isSeparator)) whole.push(`${whole.pop()}${word}`);
    else whole.push(word);
    glue = isSeparator;
  }
  return whole;
}

function placeBehind(program: Command, typed: readonly string[]): Place {
  let command = program;
  let given = 0;
  let option: Option | undefined;
  const said: Record<string, string> = {};
  for (const word of typed) {
    if (option !== undefined) {
      said[option.attributeName()] = word;
      option = undefined;
    } else if (word.startsWith("-")) {
      option = optionsOf(command).find(
        ({ long, short, required, optional }) =>
          (required || optional) && (word === long || word === short),
      );
    } else {
      const next = command.commands.find((one) => one.name() === word);
      if (next) command = next;
      else given += 1;
    }
  }
  return { command, given, option, said };
}

function candidatesAt({ command, given, option }: Place, current: string): Candidate[] {
  if (option) return choicesOf(option);
  if (current.startsWith("-")) {
    return optionsOf(command).map(({ long, short, description }) => ({
      value: long ?? short ?? "",
      description,
    }));
  }
  const commands = command.createHelp().visibleCommands(command);
  if (commands.length > 0) {
    return commands.map((one) => ({ value: one.name(), description: one.description() }));
  }
  const argument = argumentAt(command, given);
  return argument ? choicesOf(argument) : [];
}

function isLoop({ command, given, option }: Place): boolean {
  const here = option ?? argumentAt(command, given);
  return here !== undefined && takesLoop(here, command);
}

function argumentAt({ registeredArguments }: Command, given: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[given] ?? (last?.variadic ? last : undefined);
}

function choicesOf({ argChoices = [] }: Option | Argument): Candidate[] {
  return argChoices.map((value) => ({ value, description: "" }));
}

function optionsOf(command: Command): Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

/** The script that makes a shell complete. */
export async function completion(_context: Context, shell: Shell): Promise<Answer> {
  const script = COMPLETION_SCRIPTS[shell];
  return { data: { shell, script }, text: script.trimEnd() };
}

export type Shell = "bash" | "zsh" | "fish";

/**
 * What a shell has to know to complete: it asks `ccw-loop __complete` with the words so far, and completes files where
 * that answers nothing. So a script stays right when the program changes.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of ccw-loop for bash. Use it with: source <(ccw-loop completion bash)
_ccw_loop() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(ccw-loop __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _ccw_loop ccw-loop
`,
  zsh: `#compdef ccw-loop
# Completion of ccw-loop for zsh. Use it behind compinit with: source <(ccw-loop completion zsh)
_ccw_loop() {
  local line
  local -a values shown
  while IFS= read -r line; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done < <(ccw-loop __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#values )); then compadd -l -d shown -a values; else compset -P 'scripted:'; _files; fi
}
if [[ \${funcstack[1]} == _ccw_loop ]]; then _ccw_loop "$@"; else compdef _ccw_loop ccw-loop; fi
`,
  fish: `# Completion of ccw-loop for fish. Use it with: ccw-loop completion fish | source
function __ccw_loop_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l found (ccw-loop __complete -- $typed[2..-1] "$current" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c ccw-loop -f -a '(__ccw_loop_complete)'
`,
};
