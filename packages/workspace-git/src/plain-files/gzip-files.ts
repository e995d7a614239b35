import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { ownFolder } from "../folders.ts";

/** Compressed files in a folder of ours, by name. Whether a content is what was written is for the caller to see. */
export function gzipFiles(cwd: string, inside: string) {
  const fileOf = async (name: string) => join(await ownFolder(cwd, inside), `${name}.gz`);
  return {
    fileOf,
    async names(): Promise<string[]> {
      const files = await readdir(await ownFolder(cwd, inside));
      return files.map((file) => file.replace(/\.gz$/, ""));
    },
    async write(name: string, content: Buffer): Promise<void> {
      const file = await fileOf(name);
      const aside = `${file}.${randomUUID()}.tmp`;
      await writeFile(aside, await promisify(gzip)(content));
      await rename(aside, file);
    },
    /** Null when it is not there, or no compressed file. */
    async read(name: string): Promise<Buffer | null> {
      const packed = await readFile(await fileOf(name)).catch(() => null);
      return packed && (await promisify(gunzip)(packed).catch(() => null));
    },
    async remove(name: string): Promise<void> {
      await rm(await fileOf(name), { force: true });
    },
  };
}
