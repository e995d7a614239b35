import { isAbsolute, relative, resolve } from "node:path";
import { shellWords } from "../turn/shell-words.ts";

/** Anything whose meaning only the shell knows: expansions, substitutions, home, another folder. */
const OPAQUE = /[$`~]|(?:^|[\s;&|(])(?:cd|pushd|eval|exec|sudo|su|xargs|env)(?=\s|$)/;

const SYSTEM_PROGRAM = /^\/(?:usr\/)?(?:local\/)?s?bin\/[\w.-]+$/;

/** True for a path inside `root`, or `root` itself. Purely by name: resolve links before you ask. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, resolve(root, path));
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

/**
 * True when a shell script, run in `cwd`, plainly names nothing outside of `root`. A guard rail for runs
 * without a sandbox, where nothing else stands between a careless `rm -rf` and the rest of the machine; no
 * wall against malice.
 */
export function staysInside(root: string, cwd: string, script: string): boolean {
  if (OPAQUE.test(script)) return false;
  return script.split(/[;&|\n]+/).every((command) => {
    const words = shellWords(command.replaceAll(/[<>()]/g, " "));
    if (words === null) return false;
    const [program = "", ...rest] = words;
    const judged = SYSTEM_PROGRAM.test(program) ? rest : words;
    return judged.every(
      (word) => word === "/dev/null" || isInside(root, resolve(cwd, pathIn(word))),
    );
  });
}

/** `--output=../x` names `../x`. */
function pathIn(word: string): string {
  const [, value] = /^-[^=]*=(.*)$/.exec(word) ?? [];
  return value ?? word;
}
