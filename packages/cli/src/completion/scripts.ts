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
