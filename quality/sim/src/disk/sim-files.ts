import { osError } from "@ccw-loop/testkit";
export interface FileNode {
  kind: "file";
  ino: number;
  bytes: Buffer;
  /** What a power cut cannot take; null when nothing of it was ever synced. */
  durable: Buffer | null;
  modified: number;
}

/** A change of one name that a power cut may undo, or null for its removal. A rename is two with one number. */
export interface NameChange {
  number: number;
  folder: FolderNode;
  name: string;
  node: SimNode | null;
}

export interface FolderNode {
  kind: "folder";
  ino: number;
  names: Map<string, SimNode>;
  durable: Map<string, SimNode>;
  /** In the order they happened, not durable yet. */
  pending: NameChange[];
  modified: number;
}

export type SimNode = FileNode | FolderNode;

export function newFolder(ino: number, modified: number): FolderNode {
  return { kind: "folder", ino, names: new Map(), durable: new Map(), pending: [], modified };
}

/**
 * A file system in memory with inodes, hard links, and a memory of what was synced. Everybody sees a change at once;
 * a power cut (power-cut.ts) takes what was not synced. Every call here is one instant.
 */
export class SimFiles {
  root: FolderNode;
  readonly #now: () => number;
  #inodes = 1;
  #changes = 0;
  /** Told of every changed name, for those who watch a folder. */
  onName: (folder: FolderNode, name: string) => void = () => undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.root = newFolder(1, now());
  }

  find(path: string): SimNode | undefined {
    let node: SimNode | undefined = this.root;
    for (const name of partsOf(path)) {
      if (node?.kind !== "folder") return undefined;
      node = node.names.get(name);
    }
    return node;
  }

  file(path: string): FileNode | undefined {
    const node = this.find(path);
    if (node?.kind === "folder") throw osError("EISDIR", path);
    return node;
  }

  folderOf(path: string): { folder: FolderNode; name: string } {
    const parts = partsOf(path);
    const name = parts.pop() ?? "";
    const folder = this.find(parts.join("/"));
    if (!folder) throw osError("ENOENT", path);
    if (folder.kind !== "folder") throw osError("ENOTDIR", path);
    return { folder, name };
  }

  makeFolder(path: string): boolean {
    const { folder, name } = this.folderOf(path);
    if (folder.names.has(name)) return false;
    this.#inodes += 1;
    this.#name([{ folder, name, node: newFolder(this.#inodes, this.#now()) }]);
    return true;
  }

  create(path: string, bytes: Buffer): FileNode {
    const { folder, name } = this.folderOf(path);
    if (folder.names.has(name)) throw osError("EEXIST", path);
    this.#inodes += 1;
    const node: FileNode = {
      kind: "file",
      ino: this.#inodes,
      bytes,
      durable: null,
      modified: this.#now(),
    };
    this.#name([{ folder, name, node }]);
    return node;
  }

  overwrite(node: FileNode, bytes: Buffer): void {
    node.bytes = bytes;
    node.modified = this.#now();
  }

  writeAt(path: string, position: number, bytes: Buffer): void {
    const node = this.file(path) ?? this.create(path, Buffer.alloc(0));
    const size = Math.max(node.bytes.length, position + bytes.length);
    const next = Buffer.alloc(size);
    node.bytes.copy(next);
    bytes.copy(next, position);
    this.overwrite(node, next);
  }

  link(from: string, to: string): void {
    const node = this.file(from);
    if (!node) throw osError("ENOENT", from);
    const target = this.folderOf(to);
    if (target.folder.names.has(target.name)) throw osError("EEXIST", to);
    this.#name([{ ...target, node }]);
  }

  rename(from: string, to: string): void {
    const source = this.folderOf(from);
    const node = source.folder.names.get(source.name);
    if (!node) throw osError("ENOENT", from);
    const target = this.folderOf(to);
    const there = target.folder.names.get(target.name);
    if (there?.kind === "folder" && there.names.size > 0) throw osError("ENOTEMPTY", to);
    this.#name([
      { ...source, node: null },
      { ...target, node },
    ]);
  }

  remove(path: string): void {
    const { folder, name } = this.folderOf(path);
    const node = folder.names.get(name);
    if (!node) throw osError("ENOENT", path);
    if (node.kind === "folder") throw osError("EISDIR", path);
    this.#name([{ folder, name, node: null }]);
  }

  removeTree(path: string): void {
    const node = this.find(path);
    if (!node) return;
    if (node.kind === "folder") {
      for (const name of [...node.names.keys()]) this.removeTree(`${path}/${name}`);
    }
    this.#name([{ ...this.folderOf(path), node: null }]);
  }

  /** What a sync that begins now will have made durable when it ends. */
  beginSync(path: string): () => void {
    const node = this.find(path);
    if (!node) throw osError("ENOENT", path);
    if (node.kind === "file") {
      const { bytes } = node;
      return () => {
        node.durable = bytes;
      };
    }
    const upTo = this.#changes;
    return () => {
      for (const change of node.pending.filter(({ number }) => number <= upTo)) settle(change);
    };
  }

  #name(changes: Omit<NameChange, "number">[]): void {
    this.#changes += 1;
    for (const { folder, name, node } of changes) {
      if (node) folder.names.set(name, node);
      else folder.names.delete(name);
      folder.modified = this.#now();
      folder.pending.push({ number: this.#changes, folder, name, node });
      this.onName(folder, name);
    }
    if (changes.length > 1) this.#pair(changes.map(({ folder }) => folder));
  }

  /** The two halves of a rename become durable together. */
  #pair(folders: FolderNode[]): void {
    const halves = folders.flatMap((folder) =>
      folder.pending.filter(({ number }) => number === this.#changes),
    );
    for (const half of new Set(halves)) pairs.set(half, halves);
  }
}

const pairs = new WeakMap<NameChange, NameChange[]>();

/** Makes a change of names durable, with its other half; an older change of the same name is overtaken. */
export function settle(change: NameChange): void {
  for (const { folder, name, node, number } of pairs.get(change) ?? [change]) {
    if (!folder.pending.some((one) => one.number === number && one.name === name)) continue;
    if (node) folder.durable.set(name, node);
    else folder.durable.delete(name);
    folder.pending = folder.pending.filter((one) => one.name !== name || one.number > number);
  }
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}
