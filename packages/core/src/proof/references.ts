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
