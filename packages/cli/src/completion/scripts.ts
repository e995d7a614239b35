import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import type { CommandWords } from "./words.ts";

export type Shell = "bash" | "zsh" | "fish";

/** The completion script of a shell, complete in itself: it starts no process to answer. */
export function completionScript(shell: Shell, tree: readonly CommandWords[]): string {
  switch (shell) {
    case "bash":
      return bashScript(tree);
    case "zsh":
      return `#compdef ccw-loop\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(tree)}`;
    case "fish":
      return fishScript(tree);
  }
}
