import { readlink } from "node:fs/promises";
import { changedMeanwhile } from "../git/errors.ts";
import { ObjectWriter } from "../git/object-writer.ts";

import { editTree, parseTree, type TreeEdit, type TreeLine } from "../git/trees.ts";
import { fileAt, lstatOf, type RawPath } from "../raw-path.ts";
import { pointerText } from "./lfs.ts";
import { storedByLfs } from "./lfs-files.ts";
import type { OpenRepository } from "./open-repository.ts";
import type { WorkingTree } from "./working-tree.ts";

/** What a checkpoint keeps of a working tree. */
export interface KeptTree {
  name: string;
  /** What stands in the tree as the pointer of git-lfs, which has the bytes: path and text. */
  pointers: ReadonlyMap<RawPath, string>;
}

/** The tree without what no checkpoint keeps. It is named, and its files are not stored. */
export async function keptTree(opened: OpenRepository, found: WorkingTree): Promise<KeptTree> {
  const { repository, objects } = opened;
  const pointers = new Map<RawPath, string>();
  const edits = new Map<RawPath, TreeEdit>();
  const writer = new ObjectWriter(objects, repository.hash);
  for (const [path, { pointer, mode }] of await storedByLfs(opened, found)) {
    const text = pointerText(pointer);
    pointers.set(path, text);
    edits.set(path, { mode, name: await writer.write("blob", text) });
  }
  for (const path of found.leftOut.keys()) edits.set(path, null);
  const name = await editTree(repository, writer, found.tree, edits);
  return { name, pointers };
}

/**
 * Writes the tree with all of its files, but for what is the same in one of the `known` trees. What is written is what lies
 * in the folder, compared with its name: what was there under it before does not matter. Throws `workspace_changed` when a
 * file is not what was looked at any more.
 */
export async function storeTree(
  { repository }: OpenRepository,
  writer: ObjectWriter,
  { kept, found, known }: { kept: KeptTree; found: WorkingTree; known: readonly string[] },
): Promise<void> {
  const { reader, hash, top } = repository;
  const linesOf = async (id: string) => parseTree(await reader.read(id, "tree"), hash);
  const folder = async (id: string, others: readonly string[], prefix: RawPath): Promise<void> => {
    if (others.includes(id)) return;
    const content = await reader.read(id, "tree");
    await writer.write("tree", content);
    const stored = await Promise.all(others.map(linesOf));
    for (const line of parseTree(content, hash)) {
      const same = stored.flatMap((lines) => lines.find(({ name }) => name === line.name) ?? []);
      if (same.some((one) => one.id === line.id)) continue;
      const path = `${prefix}${line.name}`;
      if (line.mode !== "40000") await file(path, line);
      else {
        const folders = same.filter(({ mode }) => mode === "40000").map((one) => one.id);
        await folder(line.id, folders, `${path}/`);
      }
    }
  };
  const file = async (path: RawPath, { mode, id }: TreeLine): Promise<void> => {
    const place = fileAt(top, path);
    const isAbsent = found.tracked.sparse.has(path) && lstatOf(place) === undefined;
    if (mode === "160000" || isAbsent) return;
    const text = kept.pointers.get(path);
    if (text !== undefined || mode === "120000") {
      const content = text ?? (await readlink(place, { encoding: "buffer" }).catch(() => ""));
      if ((await writer.write("blob", content)) !== id) throw changedMeanwhile(path);
      return;
    }
    const size = found.sizes.get(path) ?? lstatOf(place)?.size;
    const isSame = size !== undefined && (await writer.writeFile(place, Number(size), id));
    if (!isSame) throw changedMeanwhile(path);
  };
  await folder(kept.name, known, "");
}
