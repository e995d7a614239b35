import type { Random } from "@ccw-loop/testkit";
import {
  type FileNode,
  type FolderNode,
  type NameChange,
  type SimFiles,
  settle,
} from "./sim-files.ts";

/**
 * What lies on the disk after a power cut. Of the changes of names that were not synced either all up to a moment are
 * there (a file system with one journal), or any of them, each for itself. A file that was not synced has its old
 * bytes, a beginning of the new ones, or zeros where they should be.
 */
export function cutPower(files: SimFiles, random: Random): void {
  const pending = new Map<number, NameChange>();
  collect(files.root, pending);
  const numbers = [...pending.keys()].sort((a, b) => a - b);
  const inOrder = random.chance(0.5);
  const upTo = random.int(0, numbers.length);
  for (const [n, number] of numbers.entries()) {
    const change = pending.get(number);
    if (change && (inOrder ? n < upTo : random.chance(0.5))) settle(change);
  }
  const seen = new Set<FileNode>();
  restart(files.root, seen);
  for (const file of seen) tear(file, random);
}

function collect(folder: FolderNode, pending: Map<number, NameChange>): void {
  for (const change of folder.pending) pending.set(change.number, change);
  const below = new Set([...folder.names.values(), ...folder.durable.values()]);
  for (const node of below) if (node.kind === "folder") collect(node, pending);
}

function restart(folder: FolderNode, files: Set<FileNode>): void {
  folder.names = new Map(folder.durable);
  folder.pending = [];
  for (const node of folder.names.values()) {
    if (node.kind === "folder") restart(node, files);
    else files.add(node);
  }
}

function tear(file: FileNode, random: Random): void {
  const { bytes, durable } = file;
  if (durable !== bytes) {
    const old = durable ?? Buffer.alloc(0);
    const length = random.int(0, bytes.length);
    const torn = {
      whole: () => bytes,
      old: () => old,
      begun: () => Buffer.concat([bytes.subarray(0, length), old.subarray(length)]),
      zeros: () => {
        const whole = Math.max(length, commonLength(bytes, old));
        return Buffer.concat([bytes.subarray(0, whole), Buffer.alloc(bytes.length - whole)]);
      },
    };
    file.bytes = torn[random.weighted({ whole: 3, old: 2, begun: 2, zeros: 1 })]();
  }
  file.durable = file.bytes;
}

/** How many bytes at the beginning are the same: what was synced already is not written again. */
function commonLength(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length += 1;
  return length;
}
