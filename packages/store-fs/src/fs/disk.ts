import { isUtf8 } from "node:buffer";

/** What the store wants to know about a path; links are not followed. */
export interface FileInfo {
  kind: "file" | "folder" | "link" | "other";
  /** Differs whenever the file was replaced or written; with `size` it tells nearly every change. */
  instance: string;
  size: number;
  /** When it was written, in milliseconds since 1970, with fractions. */
  modified: number;
  /** When that or anything else about it was changed; no program can choose this time. */
  changed: number;
  mode: number;
  owner: number;
}

/** A file that `replace` took away, still readable. */
export interface Displaced {
  /** Tells this file from every other. */
  instance: string;
  /** When it was last written, in milliseconds since 1970. */
  written(): number;
  bytes(): Buffer;
  close(): void;
}

/**
 * The file system as this store needs it: the boundary at which tests crash, fill disks and take hard links
 * away. New files have mode 0600, new folders 0700; no call follows a symbolic link at the end of a path,
 * except for `list`. Errors are Node's, with a `code`; what is no plain file, or larger than what is read at
 * once, is refused with one that `isNoPlainFile` knows, and delays nobody.
 */
export interface Disk {
  /** The text of a file, null when there is none. Bytes that are no UTF-8 come back as `NOT_TEXT` (text.ts). */
  read(path: string): string | null;
  /** The bytes of a file from `start` on, in chunks; none when there is no file. */
  chunks(path: string, start?: number): AsyncIterable<Buffer>;
  /** At most `length` bytes from `start` on. */
  readBytes(path: string, start: number, length: number): Buffer;
  info(path: string): FileInfo | null;
  /** The names in a folder; none when there is no folder. */
  list(folder: string): string[];
  /** The same without blocking, for folders that may be large. */
  listLarge(folder: string): Promise<string[]>;
  /** True when this call made it. */
  makeFolder(path: string): boolean;
  /** Makes a new file; `EEXIST` when there is one. */
  write(path: string, content: string | Buffer): void;
  /** The same, and its bytes survive what the store's durability promises. */
  writeDurably(path: string, text: string): Promise<void>;
  /** Gives a file that is there already new content, as durably. */
  overwriteDurably(path: string, text: string): Promise<void>;
  /** Writes into a file at a position, makes it when missing. */
  writeAt(path: string, position: number, text: string): void;
  /** Appends to a file, makes it when missing. Does not block. */
  append(path: string, text: string): Promise<void>;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  /** Renames a file onto another beside its folder, and hands over the one that was there. */
  replace(from: string, to: string): Displaced | null;
  copy(from: string, to: string): void;
  setMode(path: string, mode: number): void;
  /** A missing file is no error. */
  remove(path: string): void;
  removeTree(path: string): Promise<void>;
  /** Makes what happened to the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  /** Makes the bytes of a file durable. */
  syncFile(path: string): Promise<void>;
}

/** Stands for bytes that are no UTF-8; no parser accepts it. */
export const NOT_TEXT = "\u0000";

export function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString("utf8") : NOT_TEXT;
}
