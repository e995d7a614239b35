import type { CommandWords } from "./words.ts";

const HEAD = `# Completion of ccw-loop for fish. Use it with: ccw-loop completion fish | source
function __ccw_loop_words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or echo $word
    end
end
# The words so far are exactly these.
function __ccw_loop_is
    test (string join ' ' (__ccw_loop_words)) = "$argv"
end
# The words so far begin with these.
function __ccw_loop_in
    set -l words (__ccw_loop_words)
    test (string join ' ' $words[1..(count $argv)]) = "$argv"
end
complete -c ccw-loop -f
`;

export function fishScript(tree: readonly CommandWords[]): string {
  return `${HEAD}${tree.flatMap(linesOf).join("\n")}\n`;
}

function linesOf({ path, commands, options, values }: CommandWords): string[] {
  const exactly = condition("is", path);
  const within = commands.length > 0 ? exactly : condition("in", path);
  return [
    ...commands.map((c) => line(exactly, `-a ${c.name} -d ${quoted(c.description)}`)),
    ...values.map((value) => line(exactly, `-a ${value}`)),
    ...options.map(({ flag, description, takesValue, choices }) => {
      const value =
        choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : takesValue ? " -r -F" : "";
      return line(within, `-l ${flag.slice(2)}${value} -d ${quoted(description)}`);
    }),
  ];
}

function condition(kind: "is" | "in", path: string): string {
  return quoted(`__ccw_loop_${kind} ${path}`.trim());
}

function line(when: string, rest: string): string {
  return `complete -c ccw-loop -n ${when} ${rest}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
