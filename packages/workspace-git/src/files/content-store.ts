import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { ownFolder } from "../own-folder.ts";

const FOLDER = ".contents";

/** Contents of files by their SHA-256, compressed, beside the manifests. */
export interface ContentStore {
  names(): Promise<Set<string>>;
  keep(digest: string, content: Buffer): Promise<void>;
  /** Null when it is not kept, or damaged. */
  read(digest: string): Promise<Buffer | null>;
  drop(digests: Iterable<string>): Promise<void>;
}

export function contentStore(cwd: string): ContentStore {
  const fileOf = async (digest: string) => join(await ownFolder(cwd, FOLDER), `${digest}.gz`);
  return {
    async names() {
      const files = await readdir(await ownFolder(cwd, FOLDER));
      return new Set(files.map((file) => file.replace(/\.gz$/, "")));
    },
    async keep(digest, content) {
      const file = await fileOf(digest);
      const aside = `${file}.${randomUUID()}.tmp`;
      await writeFile(aside, await promisify(gzip)(content));
      await rename(aside, file);
    },
    async read(digest) {
      const packed = await readFile(await fileOf(digest)).catch(() => null);
      const content = packed && (await promisify(gunzip)(packed).catch(() => null));
      return content && digestOf(content) === digest ? content : null;
    },
    async drop(digests) {
      for (const digest of digests) await rm(await fileOf(digest), { force: true });
    },
  };
}

/** SHA-256 in hexadecimal, as manifests name contents. */
export function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The same for a file on disk; null when it cannot be read. */
export async function digestFile(file: Buffer): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest("hex");
  } catch {
    return null;
  }
}
