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
