/** Files that stand for their folder. */
const FOR_FOLDER = /\/(index|mod|__init__)$/;

/** A relative path in quotes, as programs name a module. */
const RELATIVE = /["'`](\.{1,2}(?:\/[^"'`\n]*)?)["'`]/g;

/**
 * Whether the text of a program refers to another program by its place: with the folder that it lies in, or from the same folder.
 * A word that happens to be the name of the file is no such reference.
 */
export function refersTo(text: string, user: string, path: string): boolean {
  const bare = withoutEnding(path);
  const target = bare.replace(FOR_FOLDER, "");
  const relative = [...text.matchAll(RELATIVE)].map(([, place = ""]) => resolved(user, place));
  if (relative.some((place) => [bare, target].includes(withoutEnding(place)))) return true;
  const [name = "", folder] = target.split("/").toReversed().map(escaped);
  const isNeighbour = folderOf(user) === folderOf(target);
  const patterns = [
    ...(folder === undefined
      ? []
      : [
          String.raw`(?<![\w-])${folder}(?:[./\\]|::)${name}(?![\w-])`,
          String.raw`\bfrom\s+[\w.]*\b${folder}\s+import\b[^\n]*\b${name}\b`,
        ]),
    ...(isNeighbour
      ? [
          String.raw`^\s*(?:from|import)\s+\.?${name}\b`,
          String.raw`\bfrom\s+\.\s+import\b[^\n]*\b${name}\b`,
          String.raw`\bmod\s+${name}\s*;`,
        ]
      : []),
    // A package is its folder.
    ...(path.endsWith(".go") && folder !== undefined ? [String.raw`"[^"\n]*/${folder}"`] : []),
    ...(bare !== target ? [String.raw`["'][^"'\n]*/${name}["']`] : []),
  ];
  return patterns.some((pattern) => new RegExp(pattern, "m").test(text));
}

const escaped = (word: string): string => word.replaceAll(/[^\w-]/g, "\\$&");
const withoutEnding = (path: string): string => path.replace(/(?<=[^/])\.\w+$/, "");
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** A path from the top of the project, of one from the folder of a file. */
function resolved(user: string, place: string): string {
  const parts = folderOf(user).split("/").slice(0, -1);
  for (const part of place.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

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
