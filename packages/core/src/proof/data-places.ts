/** A text in quotes, on one line. */
const LITERAL = /(["'`])((?:\\.|(?!\1)[^\\\n]){3,200})\1/g;
/** Where a program puts a part into a text; in a pattern, any part of a name. */
const HOLES = /\$\{[^}]*\}|#\{[^}]*\}|\{[^}]*\}|%[sdv]|\*+/;
const HOLES_AT_MOST = 4;

/**
 * Whether the text of a program has in quotes the folder of a file, or the name of the file with parts left open: it may read it
 * under a name that it puts together.
 */
export function pointsAt(text: string, path: string): boolean {
  const folder = path.split("/").at(-2);
  return [...text.matchAll(LITERAL)].some(
    ([, , literal = ""]) => hasFolder(literal, folder) || fits(literal, path),
  );
}

function hasFolder(literal: string, folder: string | undefined): boolean {
  return folder !== undefined && literal.split(/[\\/]/).includes(folder);
}

/** A name of which only the ending is said may be any file's. */
function fits(literal: string, path: string): boolean {
  const parts = literal.replace(/^(\.{0,2}\/)+/, "").split(HOLES);
  if (parts.length < 2 || parts.length > HOLES_AT_MOST + 1) return false;
  if (!/\w{3}/.test(parts.join("/").replace(/\.\w+$/, ""))) return false;
  const pattern = parts.map((part) => part.replaceAll(/[^\w-]/g, "\\$&")).join("[^/]*");
  return new RegExp(`(^|/)${pattern}$`).test(path);
}
