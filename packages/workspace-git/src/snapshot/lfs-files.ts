import { readFile, stat } from "node:fs/promises";
import { fileDigest } from "../file-digest.ts";
import type { Repository } from "../git/repository.ts";
import { fileAt, type RawPath } from "../raw-path.ts";
import {
  LFS,
  LONGEST,
  type Pointer,
  parsePointer,
  pointerText,
  storeContent,
  storedContent,
} from "./lfs.ts";
import type { FileStatus, WorkTreeStatus } from "./status.ts";

/**
 * Files whose very bytes git-lfs has in its own store, so that they need not be kept twice. One that git takes for
 * unchanged is not read.
 */
export async function storedByLfs(
  repository: Repository,
  { seen, converted, pointers, leftOut }: WorkTreeStatus,
): Promise<Map<RawPath, Pointer>> {
  const kept = new Map<RawPath, Pointer>();
  for (const [path, driver] of converted.filtered) {
    const file = seen.get(path);
    if (driver !== LFS || !file?.tracked || leftOut.has(path) || !file.regular) continue;
    const known = pointers.get(path);
    const same = !file.differs && known?.size === Number(file.size) ? known : null;
    const pointer = same ?? (await pointerOf(fileAt(repository.top, path)));
    if ((await storedContent(repository, pointer)) !== null) kept.set(path, pointer);
  }
  return kept;
}

/** The pointer to the content of a file. */
export async function pointerOf(file: Buffer): Promise<Pointer> {
  return { oid: await fileDigest(file), size: (await stat(file)).size };
}

/**
 * What git-lfs would make of a file that is added: the text of its pointer. With `store` the content is in its store
 * afterwards. A file that is a pointer stays one.
 */
export async function lfsPointerText(
  repository: Repository,
  file: Buffer,
  { size }: FileStatus,
  store: boolean,
): Promise<string> {
  const text = size <= LONGEST ? await readFile(file, "latin1") : "";
  if (parsePointer(text)) return text;
  const pointer = await pointerOf(file);
  if (store) await storeContent(repository, pointer, file);
  return pointerText(pointer);
}
