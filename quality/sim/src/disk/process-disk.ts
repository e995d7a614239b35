import { dirname } from "node:path";
import { osError } from "@ccw-loop/testkit";
import {
  type Disk,
  type Displaced,
  type FileInfo,
  textOf,
} from "../../../../packages/store-fs/src/fs/disk.ts";
import type { SimFiles, SimNode } from "./sim-files.ts";

/** Every file belongs to the user who runs this. */
const ME = process.getuid?.() ?? 0;

/** The shared file system as one process sees it; `pass` is how long it waits for its slow calls. */
export function processDisk(files: SimFiles, pass: (call: string) => Promise<void>): Disk {
  const info = (path: string) => infoOf(files.find(path));
  const remove = (path: string) => {
    if (files.find(path)) files.remove(path);
  };
  const bytesOf = (path: string) => files.file(path)?.bytes;
  async function synced(path: string): Promise<void> {
    const done = files.beginSync(path);
    await pass("sync");
    done();
  }
  return {
    read(path) {
      const bytes = bytesOf(path);
      return bytes === undefined ? null : textOf(bytes);
    },
    async *chunks(path, start = 0) {
      await pass("read");
      const bytes = bytesOf(path);
      if (bytes !== undefined && bytes.length > start) yield bytes.subarray(start);
    },
    readBytes(path, start, length) {
      return (bytesOf(path) ?? Buffer.alloc(0)).subarray(start, start + length);
    },
    info,
    list: (folder) => namesIn(files.find(folder), folder),
    async listLarge(folder) {
      await pass("list");
      return namesIn(files.find(folder), folder);
    },
    makeFolder: (path) => files.makeFolder(path),
    write: (path, content) => void files.create(path, Buffer.from(content)),
    async writeDurably(path, text) {
      const node = files.create(path, Buffer.from(text));
      const { bytes } = node;
      await pass("write");
      node.durable = bytes;
    },
    async overwriteDurably(path, text) {
      const node = files.file(path);
      if (!node) throw osError("ENOENT", path);
      const bytes = Buffer.from(text);
      files.overwrite(node, bytes);
      await pass("write");
      node.durable = bytes;
    },
    writeAt: (path, position, text) => files.writeAt(path, position, Buffer.from(text)),
    async append(path, text) {
      await pass("append");
      files.writeAt(path, bytesOf(path)?.length ?? 0, Buffer.from(text));
    },
    rename: (from, to) => files.rename(from, to),
    link: (from, to) => files.link(from, to),
    replace(from, to): Displaced | null {
      const old = files.file(to);
      if (!files.find(dirname(from))) throw osError("ENOENT", from);
      files.rename(from, to);
      if (!old) return null;
      return {
        instance: instanceOf(old),
        written: () => old.modified,
        bytes: () => old.bytes,
        close: () => undefined,
      };
    },
    copy(from, to) {
      const bytes = bytesOf(from);
      if (bytes === undefined) throw osError("ENOENT", from);
      const there = files.file(to);
      if (there) files.overwrite(there, bytes);
      else files.create(to, bytes);
    },
    setMode: () => undefined,
    remove,
    async removeTree(path) {
      await pass("remove");
      files.removeTree(path);
    },
    syncFolder: synced,
    syncFile: synced,
  };
}

function infoOf(node: SimNode | undefined): FileInfo | null {
  if (!node) return null;
  const { kind, modified } = node;
  const size = node.kind === "file" ? node.bytes.length : 0;
  const mode = kind === "file" ? 0o600 : 0o700;
  return { kind, instance: instanceOf(node), size, modified, changed: modified, mode, owner: ME };
}

function instanceOf({ ino, modified }: SimNode): string {
  return `${ino}-${modified}`;
}

function namesIn(node: SimNode | undefined, path: string): string[] {
  if (!node) return [];
  if (node.kind !== "folder") throw osError("ENOTDIR", path);
  return [...node.names.keys()];
}
