import { LoopError } from "@ccw-loop/core";
import type { RawPath } from "../raw-path.ts";
import type { ObjectWriter } from "./object-writer.ts";
import { type HashName, type Repository, zeroName } from "./repository.ts";

/** One line of a tree object. */
export interface TreeLine {
  name: RawPath;
  /** `40000` (folder), `100644`, `100755`, `120000` (link) or `160000` (submodule). */
  mode: string;
  id: string;
}

/** A file, link or submodule of a whole tree; the path is from its top. */
export interface TreeFile {
  path: RawPath;
  mode: string;
  name: string;
}

/** What a path is in two trees; zeros where there is nothing. */
export interface TreeDifference {
  path: RawPath;
  kind: "added" | "modified" | "deleted";
  before: { mode: string; name: string };
  after: { mode: string; name: string };
}

const FOLDER = "40000";
/** A few trees that hold each other many times name more files than any disk has. */
const MOST_FILES = 2_000_000;

function tooManyFiles(tree: string): LoopError {
  return new LoopError(
    "workspace_unavailable",
    `The tree ${tree} has more than ${MOST_FILES} files. No room can be made of it.`,
  );
}

/** Parses a tree object. Throws `unsafe_path` for a name that leads out of its folder or into git's own. */
export function parseTree(content: Buffer, hash: HashName): TreeLine[] {
  const idLength = hash === "sha1" ? 20 : 32;
  const lines: TreeLine[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const mode = content.toString("latin1", at, space);
    const name = content.toString("latin1", space + 1, end);
    if (isUnsafe(name)) throw unsafeName(name);
    at = end + 1 + idLength;
    lines.push({ name, mode: plainMode(mode), id: content.toString("hex", end + 1, at) });
  }
  return lines;
}

/** Git writes few modes, and has read more. */
function plainMode(mode: string): string {
  if (!mode.startsWith("100")) return mode.replace(/^0+/, "");
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? "100644" : "100755";
}

function isUnsafe(name: RawPath): boolean {
  return /^(?:|\.|\.\.|\.git)$/i.test(name) || name.includes("/");
}

function unsafeName(name: RawPath): LoopError {
  return new LoopError(
    "unsafe_path",
    `A tree of the repository holds an entry named ${JSON.stringify(name)}, which is no file name. Check it with: git fsck`,
  );
}

/** Where trees are read, and how their objects are named. */
export type TreeSource = Pick<Repository, "reader" | "hash">;

/** All files of a tree. */
export async function filesOf({ reader, hash }: TreeSource, tree: string): Promise<TreeFile[]> {
  let count = 0;
  const below = async (id: string, prefix: RawPath): Promise<TreeFile[]> => {
    const lines = parseTree(await reader.read(id, "tree"), hash);
    count += lines.length;
    if (count > MOST_FILES) throw tooManyFiles(tree);
    const parts = lines.map(({ name, mode, id: child }) => {
      const path = `${prefix}${name}`;
      return mode === FOLDER ? below(child, `${path}/`) : [{ path, mode, name: child }];
    });
    return (await Promise.all(parts)).flat();
  };
  return below(tree, "");
}

/** What differs between two trees; a null is an empty one. Folders that are the same are not read. */
export async function treeDifferences(
  { reader, hash }: TreeSource,
  from: string | null,
  to: string,
): Promise<TreeDifference[]> {
  const zero = zeroName({ hash });
  const linesOf = async (id: string | undefined) => {
    const lines = id === undefined ? [] : parseTree(await reader.read(id, "tree"), hash);
    return new Map(lines.map((line) => [line.name, line]));
  };
  const below = async (
    before: string | undefined,
    after: string | undefined,
    prefix: RawPath,
  ): Promise<TreeDifference[]> => {
    const [was, is] = await Promise.all([linesOf(before), linesOf(after)]);
    const names = [...new Set([...was.keys(), ...is.keys()])].sort();
    const parts = names.map(async (name): Promise<TreeDifference[]> => {
      const [old, now] = [was.get(name), is.get(name)];
      if (old?.id === now?.id && old?.mode === now?.mode) return [];
      const path = `${prefix}${name}`;
      const file = fileDifference(path, asFile(old), asFile(now), zero);
      const folders = [old, now].map((line) => (line?.mode === FOLDER ? line.id : undefined));
      const inside = folders.some((id) => id !== undefined)
        ? await below(folders[0], folders[1], `${path}/`)
        : [];
      return [...file, ...inside];
    });
    return (await Promise.all(parts)).flat();
  };
  return from === to ? [] : below(from ?? undefined, to, "");
}

function asFile(line: TreeLine | undefined): TreeLine | undefined {
  return line?.mode === FOLDER ? undefined : line;
}

function fileDifference(
  path: RawPath,
  was: TreeLine | undefined,
  is: TreeLine | undefined,
  zero: string,
): TreeDifference[] {
  if (was === undefined && is === undefined) return [];
  const side = (line: TreeLine | undefined) =>
    line ? { mode: line.mode, name: line.id } : { mode: "000000", name: zero };
  const kind = was === undefined ? "added" : is === undefined ? "deleted" : "modified";
  return [{ path, kind, before: side(was), after: side(is) }];
}

/** Neither a file nor a folder with whatever was in it. */
export const NOTHING = "nothing";

/** What becomes of a path. A null is no file: a folder of that name stays, but for what is changed inside of it. */
export type TreeEdit = Omit<TreeFile, "path"> | null | typeof NOTHING;

/**
 * A tree with some paths changed, all of whose new folders are written. A file takes the place of a folder and whatever
 * is in it, and a folder that of a file. A null for `tree` is an empty one.
 */
export async function editTree(
  { reader, hash }: TreeSource,
  writer: ObjectWriter,
  tree: string | null,
  edits: ReadonlyMap<RawPath, TreeEdit>,
): Promise<string> {
  const below = async (id: string | null, node: EditNode): Promise<string | null> => {
    const lines = id === null ? [] : parseTree(await reader.read(id, "tree"), hash);
    const kept = new Map(lines.map((line) => [line.name, line]));
    for (const [name, child] of node.children) {
      const { edit } = child;
      const old = kept.get(name);
      const folder = old?.mode === FOLDER && edit !== NOTHING ? old.id : null;
      if (edit === NOTHING || (edit === null && folder === null)) kept.delete(name);
      if (edit && edit !== NOTHING) kept.set(name, { name, mode: edit.mode, id: edit.name });
      else if (child.children.size > 0) {
        const made = await below(folder, child);
        if (made !== null) kept.set(name, { name, mode: FOLDER, id: made });
        // A file stays where there was nothing to be done inside of it.
        else if (folder !== null) kept.delete(name);
      }
    }
    if (kept.size === 0 && node !== root) return null;
    return writer.write("tree", serializeTree([...kept.values()]));
  };
  const root = editNodes(edits);
  if (tree !== null && root.children.size === 0) return tree;
  return (await below(tree, root)) ?? "";
}

interface EditNode {
  edit?: TreeEdit;
  children: Map<RawPath, EditNode>;
}

function editNodes(edits: ReadonlyMap<RawPath, TreeEdit>): EditNode {
  const root: EditNode = { children: new Map() };
  for (const [path, edit] of edits) {
    let node = root;
    for (const part of path.split("/")) {
      const next = node.children.get(part) ?? { children: new Map() };
      node.children.set(part, next);
      node = next;
    }
    node.edit = edit;
  }
  return root;
}

/** The content of a tree object: git sorts a folder as if its name ended with a slash. */
export function serializeTree(lines: readonly TreeLine[]): Buffer {
  const key = ({ name, mode }: TreeLine) => (mode === FOLDER ? `${name}/` : name);
  const sorted = [...lines].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const parts = sorted.flatMap(({ name, mode, id }) => [
    Buffer.from(`${mode} ${name}\0`, "latin1"),
    Buffer.from(id, "hex"),
  ]);
  return Buffer.concat(parts);
}
