import { bytesOf, type RawPath, rawOf } from "../raw-path.ts";

/** What a checkpoint's commit says about itself, in the last paragraph of its message. */
export interface Note {
  /** The user's HEAD commit at that moment; null before the first one. */
  head: string | null;
  /** The name of the whole content, as `tree()` gives it. */
  tree: string;
  /** Files that were there but are not kept. */
  leftOut: RawPath[];
  /** Files that stand in the tree as the pointer of git-lfs, although their content lay in the folder. */
  lfs: RawPath[];
}

const LINE = /^CCW-Loop-(Tree|Head|Left-Out|LFS): (.*)$/;

export function encodeNote(message: string, { head, tree, leftOut, lfs }: Note): RawPath {
  const lines = [
    `CCW-Loop-Tree: ${tree}`,
    ...(head === null ? [] : [`CCW-Loop-Head: ${head}`]),
    ...leftOut.map((path) => `CCW-Loop-Left-Out: ${encodePath(path)}`),
    ...lfs.map((path) => `CCW-Loop-LFS: ${encodePath(path)}`),
  ];
  const said = message.replaceAll("\0", "").trim();
  return rawOf([said, lines.join("\n")].filter((part) => part !== "").join("\n\n"));
}

/** From the whole text of a commit object; null when it is none of ours. */
export function decodeNote(commit: string): Note | null {
  const note: Note = { head: null, tree: "", leftOut: [], lfs: [] };
  const text = Buffer.from(commit, "latin1").toString("utf8").trimEnd();
  for (const line of text.slice(text.lastIndexOf("\n\n") + 2).split("\n")) {
    const [, key, value = ""] = LINE.exec(line) ?? [];
    if (key === "Tree") note.tree = value;
    else if (key === "Head") note.head = value;
    else if (key === "Left-Out") note.leftOut.push(decodePath(value));
    else if (key === "LFS") note.lfs.push(decodePath(value));
    else return null;
  }
  return note.tree === "" ? null : note;
}

/** Hexadecimal: a path may hold anything, and a message is text. */
function encodePath(path: RawPath): string {
  return bytesOf(path).toString("hex");
}

function decodePath(text: string): RawPath {
  return Buffer.from(text, "hex").toString("latin1");
}
