import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PrivateIndex } from "../git/index.ts";
import { parseEntries } from "../git/listing.ts";
import { contentsOf, sizesOf } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import type { RawPath } from "../raw-path.ts";
import type { Converted } from "./filters.ts";

/** The pointers that the index holds. */
export async function indexPointers(
  { repository, run }: PrivateIndex,
  { filtered }: Converted,
): Promise<Map<RawPath, Pointer>> {
  const pointers = new Map<RawPath, Pointer>();
  if (![...filtered.values()].includes(LFS)) return pointers;
  const entries = parseEntries((await run(["ls-files", "-s", "-z"])).stdout).filter(
    ({ path }) => filtered.get(path) === LFS,
  );
  const sizes = await sizesOf(
    repository,
    entries.map(({ name }) => name),
  );
  const small = entries.filter(({ name }) => (sizes.get(name) ?? Number.NaN) <= LONGEST);
  const contents = await contentsOf(
    repository,
    small.map(({ name }) => name),
  );
  small.forEach(({ path }, index) => {
    const pointer = parsePointer(contents[index]?.toString("latin1") ?? "");
    if (pointer) pointers.set(path, pointer);
  });
  return pointers;
}

/** Where git-lfs keeps a content of this repository. */
function storedAt({ objects }: Repository, { oid }: Pointer): string {
  return join(dirname(objects), "lfs", "objects", oid.slice(0, 2), oid.slice(2, 4), oid);
}

/** The file with the content; null when git-lfs does not have it here. */
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
