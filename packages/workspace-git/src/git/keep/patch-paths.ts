import { type RawPath, rawOf } from "../../raw-path.ts";
import { shownPath } from "../paths.ts";
import type { Repository } from "../repository.ts";
import type { Counted } from "./diff.ts";

/** The patch with paths as seen from `cwd` and not from the top; the changes are in the order of its sections. */
export function patchFrom(
  repository: Pick<Repository, "prefix">,
  changes: readonly Counted[],
  patch: string,
): string {
  if (repository.prefix === "") return patch;
  const paths = changes.flatMap(({ path, sections }) => Array<RawPath>(sections).fill(path));
  // A line of content never starts with a letter.
  return patch
    .split(/(?<=^|\n)(?=diff --git )/)
    .map((section, index) => renamed(section, rawOf(shownPath(repository, paths[index] ?? ""))))
    .join("");
}

function renamed(section: string, path: RawPath): string {
  const body = section.search(/(?<=\n)@@ /);
  const head = body < 0 ? section : section.slice(0, body);
  const lines = head.split("\n").map((line) => renamedLine(line, path));
  return lines.join("\n") + section.slice(head.length);
}

function renamedLine(line: string, path: RawPath): string {
  const [before, after] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  if (line.startsWith("diff --git ")) return `diff --git ${before} ${after}`;
  if (line.startsWith("Binary files ")) {
    const from = line.startsWith("Binary files /dev/null and ") ? "/dev/null" : before;
    const to = line.endsWith(" and /dev/null differ") ? "/dev/null" : after;
    return `Binary files ${from} and ${to} differ`;
  }
  if (!/^(---|\+\+\+) /.test(line) || line.endsWith(" /dev/null")) return line;
  const end = path.includes(" ") && !before.startsWith('"') ? "\t" : "";
  return line.startsWith("-") ? `--- ${before}${end}` : `+++ ${after}${end}`;
}

const LETTERS: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\",
};

/** As git does it with `core.quotePath` off. */
function quoted(path: RawPath): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is quoted
  const escaped = path.replaceAll(/["\\\x00-\x1f\x7f]/g, (found) => {
    const letter = LETTERS[found] ?? found.charCodeAt(0).toString(8).padStart(3, "0");
    return `\\${letter}`;
  });
  return escaped === path ? path : `"${escaped}"`;
}
