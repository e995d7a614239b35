import type { CommandWords } from "./words.ts";

/** For bash, and for zsh by its bashcompinit. Where nothing is known, files complete. */
export function bashScript(tree: readonly CommandWords[]): string {
  return `# Completion of ccw-loop for bash. Use it with: source <(ccw-loop completion bash)
_ccw_loop() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path="" words="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/\${COMP_WORDS[i]}" in
${block(tree.flatMap(steps))}
    esac
  done
  case "$path/$previous" in
${block(tree.flatMap(optionValues))}
  esac
  case "$path" in
${block(tree.map(allWords))}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -o default -F _ccw_loop ccw-loop
`;
}

function block(lines: string[]): string {
  return lines.map((line) => `      ${line}`).join("\n");
}

/** How each subcommand is reached from the command above it. */
function steps({ path, commands }: CommandWords): string[] {
  return commands.map(({ name }) => {
    return `"${path}/${name}") path="${`${path} ${name}`.trim()}";;`;
  });
}

/** What follows an option that takes a value: its choices, else files. */
function optionValues({ path, options }: CommandWords): string[] {
  return options
    .filter(({ takesValue }) => takesValue)
    .map(({ flag, choices }) => {
      const words =
        choices.length === 0
          ? ""
          : `COMPREPLY=( $(compgen -W "${choices.join(" ")}" -- "$current") ); `;
      return `"${path}/${flag}") ${words}return;;`;
    });
}

function allWords({ path, commands, options, values }: CommandWords): string {
  const words = [
    ...commands.map(({ name }) => name),
    ...values,
    ...options.map(({ flag }) => flag),
  ];
  return `"${path}") words="${words.join(" ")}";;`;
}
