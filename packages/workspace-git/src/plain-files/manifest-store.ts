import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { LoopError } from "@ccw-loop/core";
import { ownFolder } from "../folders.ts";
import { decode, type Manifest, nameOf } from "./manifest.ts";

const FOLDER = ".trees";
const NAME = /^files-[0-9a-f]{64}$/;
/** How many trees can be compared; those that were measured longest ago are forgotten. */
export const TREES_KEPT = 64;

/** The newest manifests, in `.workflow/.loop/.trees` unless another folder is named, so that another process can compare them. */
export interface ManifestStore {
  /** Answers with the name: equal content, equal name. */
  keep(encoded: string): Promise<string>;
  /** Throws `invalid_input` when no manifest of this name is kept, or when it is damaged. */
  read(name: string): Promise<Manifest>;
  /** Those that are kept. */
  all(): Promise<Manifest[]>;
}

export function manifestStore(cwd: string, inside: string = FOLDER): ManifestStore {
  const read = async (name: string) => {
    if (!NAME.test(name)) throw unknown(name);
    const file = join(await ownFolder(cwd, inside), `${name}.gz`);
    const packed = await readFile(file).catch(() => null);
    if (packed === null) throw unknown(name);
    const encoded = await promisify(gunzip)(packed).then(
      (bytes) => bytes.toString("latin1"),
      () => "",
    );
    if (nameOf(encoded) !== name) throw unknown(name);
    return decode(encoded);
  };
  return {
    read,
    async all() {
      const names = (await readdir(await ownFolder(cwd, inside))).map((file) =>
        file.replace(/\.gz$/, ""),
      );
      const found = await Promise.all(names.map((name) => read(name).catch(() => null)));
      return found.filter((manifest) => manifest !== null);
    },
    async keep(encoded) {
      const name = nameOf(encoded);
      const folder = await ownFolder(cwd, inside);
      const file = join(folder, `${name}.gz`);
      const now = new Date();
      if (
        await utimes(file, now, now).then(
          () => true,
          () => false,
        )
      )
        return name;
      const temporary = join(folder, `${randomUUID()}.tmp`);
      await writeFile(temporary, await promisify(gzip)(Buffer.from(encoded, "latin1")));
      await rename(temporary, file);
      await forgetOldest(folder);
      return name;
    },
  };
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= TREES_KEPT) return;
  const aged = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return { file, age: (await stat(file).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  const oldest = aged.sort((a, b) => b.age - a.age).slice(TREES_KEPT);
  await Promise.all(oldest.map(({ file }) => rm(file, { force: true })));
}

function unknown(name: string): LoopError {
  return new LoopError(
    "invalid_input",
    `This workspace knows no tree ${name.slice(0, 80)} (the newest ${TREES_KEPT} are kept). Measure it again.`,
  );
}
