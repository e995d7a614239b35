import { hash, randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { ownFolder } from "../folders.ts";

export type DigestStore = ReturnType<typeof digestStore>;

/** Contents in a folder of ours, compressed. Equal content, equal name: the SHA-256 behind a prefix. */
export function digestStore(cwd: string, inside: string, prefix = "") {
  const fileOf = async (name: string) => join(await ownFolder(cwd, inside), `${name}.gz`);
  const nameOf = (content: Buffer) => `${prefix}${hash("sha256", content)}`;
  return {
    nameOf,
    async names(): Promise<string[]> {
      const files = await readdir(await ownFolder(cwd, inside));
      return files.map((file) => file.replace(/\.gz$/, ""));
    },
    /** Answers with the name; one that is kept already is as new as any. */
    async keep(content: Buffer): Promise<string> {
      const name = nameOf(content);
      const file = await fileOf(name);
      const now = new Date();
      try {
        await utimes(file, now, now);
      } catch {
        const aside = `${file}.${randomUUID()}.tmp`;
        await writeFile(aside, await promisify(gzip)(content));
        await rename(aside, file);
      }
      return name;
    },
    /** Null when it is not kept, or damaged. */
    async read(name: string): Promise<Buffer | null> {
      if (!/^[\w-]+$/.test(name)) return null;
      const packed = await readFile(await fileOf(name)).catch(() => null);
      const content = packed && (await promisify(gunzip)(packed).catch(() => null));
      return content && nameOf(content) === name ? content : null;
    },
    async drop(names: Iterable<string>): Promise<void> {
      for (const name of names) await rm(await fileOf(name), { force: true });
    },
  };
}
