import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Repository } from "../git/repository.ts";

function storeOf({ objects }: Repository): string {
  return join(dirname(objects), "lfs", "objects");
}

/** Whether git-lfs keeps anything of this repository here. */
export async function hasLfsStore(repository: Repository): Promise<boolean> {
  return (await stat(storeOf(repository)).catch(() => null)) !== null;
}

/** Where git-lfs keeps a content of this repository. */
function storedAt(repository: Repository, { oid }: Pointer): string {
  return join(storeOf(repository), oid.slice(0, 2), oid.slice(2, 4), oid);
}

/** The file that should have the content, by its size; null when git-lfs has none here. */
export async function storedContent(
  repository: Repository,
  pointer: Pointer,
): Promise<string | null> {
  const file = storedAt(repository, pointer);
  const found = await stat(file).catch(() => null);
  return found?.isFile() && found.size === pointer.size ? file : null;
}

/** As git-lfs does it when a file is added. */
export async function storeContent(
  repository: Repository,
  pointer: Pointer,
  source: Buffer,
): Promise<void> {
  if ((await storedContent(repository, pointer)) !== null) return;
  const file = storedAt(repository, pointer);
  await mkdir(dirname(file), { recursive: true });
  const aside = `${file}.${randomUUID()}.tmp`;
  await copyFile(source, aside, constants.COPYFILE_FICLONE);
  await rename(aside, file);
}

/** What git-lfs keeps in place of a file; its specification: git-lfs, docs/spec.md. */
export interface Pointer {
  /** SHA-256 of the content. */
  oid: string;
  /** Bytes of the content. */
  size: number;
}

/** The driver that git-lfs calls itself. */
export const LFS = "lfs";
const VERSION = "version https://git-lfs.github.com/spec/v1";
export const LONGEST = 1024;

export function parsePointer(text: string): Pointer | null {
  if (text.length > LONGEST || !text.startsWith(`${VERSION}\n`)) return null;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d+)$/m.exec(text)?.[1];
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) };
}

export function pointerText({ oid, size }: Pointer): string {
  return `${VERSION}\noid sha256:${oid}\nsize ${size}\n`;
}
