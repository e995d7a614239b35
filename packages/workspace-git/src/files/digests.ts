import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readlink } from "node:fs/promises";
import { fileAt } from "../raw-path.ts";
import { placeholderText, READ_LIMIT } from "../stand-in.ts";
import type { FoundFile } from "./scan.ts";

/** A file that was changed this shortly before it was read may change again without a new time. */
const SETTLED_NS = 2_000_000_000n;

interface Remembered {
  stamp: string;
  digest: string;
}

/** Digests of files' contents; a file whose size, times and inode are as before is not read again. */
export interface Digests {
  /** SHA-256 in hexadecimal; null when the file went away. */
  of(file: FoundFile): Promise<string | null>;
}

export function digestCache(root: string): Digests {
  const remembered = new Map<string, Remembered>();
  return {
    async of(file) {
      const { size, mtimeNs, ctimeNs, ino } = file.stats;
      const stamp = [size, mtimeNs, ctimeNs, ino].join(" ");
      const known = remembered.get(file.path);
      if (known?.stamp === stamp) return known.digest;
      const now = BigInt(Date.now()) * 1_000_000n;
      const digest = await read(root, file);
      const changed = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
      if (digest !== null && changed + SETTLED_NS < now)
        remembered.set(file.path, { stamp, digest });
      else remembered.delete(file.path);
      return digest;
    },
  };
}

async function read(root: string, { path, stats }: FoundFile): Promise<string | null> {
  const hash = createHash("sha256");
  const file = fileAt(root, path);
  if (stats.size > READ_LIMIT) return hash.update(placeholderText(stats)).digest("hex");
  try {
    if (stats.isSymbolicLink()) hash.update(await readlink(file, { encoding: "buffer" }));
    else for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest("hex");
  } catch (error) {
    const gone = (error as NodeJS.ErrnoException).code === "ENOENT";
    return gone ? null : createHash("sha256").update(placeholderText(stats)).digest("hex");
  }
}
