import type { Command } from "commander";

/** What may follow a command: its subcommands, options, and the fixed values of its first argument. */
export interface CommandWords {
  /** The words that lead to it: `` for the program, `tasks add`. */
  path: string;
  commands: { name: string; description: string }[];
  options: { flag: string; description: string; takesValue: boolean; choices: string[] }[];
  /** Fixed values of its first argument; empty when it is free. */
  values: string[];
}

/** The whole tree, the program first. */
export function wordsOf(program: Command): CommandWords[] {
  const global = optionsOf(program);
  const walk = (command: Command, path: string): CommandWords[] => {
    const own = command.parent === null ? global : [...optionsOf(command), ...global];
    const help = { flag: "--help", description: "print help", takesValue: false, choices: [] };
    return [
      {
        path,
        commands: command.commands.map((c) => ({ name: c.name(), description: c.description() })),
        options: [...own.filter(({ flag }) => flag !== "--help"), help],
        values: command.registeredArguments[0]?.argChoices ?? [],
      },
      ...command.commands.flatMap((c) => walk(c, `${path} ${c.name()}`.trim())),
    ];
  };
  return walk(program, "");
}

function optionsOf(command: Command): CommandWords["options"] {
  return command.options.flatMap(({ long, description, required, optional, argChoices }) =>
    long
      ? [{ flag: long, description, takesValue: required || optional, choices: argChoices ?? [] }]
      : [],
  );
}
