import type { Argument, Command, Option } from "commander";
import type { PlaceOptions } from "../runtime/hints.ts";

/** What may stand in a place of the command line; a shell shows the description where it can. */
export interface Candidate {
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

export interface Completion {
  candidates: Candidate[];
  /** The place of a loop's id, with where to look for loops; null where another word stands. */
  loopsOf: PlaceOptions | null;
}

/** What is wanted in the place of the last of these words, which begin behind the program's name. */
export function completionAt(program: Command, words: readonly string[]): Completion {
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
  // Elsewhere the option gives a new loop its id.
  if (option) return option.long === "--loop-id" && command.name() === "run";
  return argumentAt(command, given)?.name() === "id";
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
