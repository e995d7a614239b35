import { readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { ownFolder } from "../folders.ts";
import { gzipFiles } from "./gzip-files.ts";
import { decode, type Manifest, nameOf } from "./manifest.ts";

const FOLDER = ".trees";
const NAME = /^files-[0-9a-f]{64}$/;
/** How many trees can be compared; those that were measured longest ago are forgotten. */
export const TREES_KEPT = 64;

export type ManifestStore = ReturnType<typeof manifestStore>;

/** The newest manifests, in `.workflow/.loop/.trees` unless another folder is named, so that another process can compare them. */
export function manifestStore(cwd: string, inside: string = FOLDER) {
  const files = gzipFiles(cwd, inside);
  /** Throws `invalid_input` when no manifest of this name is kept, or when it is damaged. */
  const read = async (name: string): Promise<Manifest> => {
    const content = NAME.test(name) ? await files.read(name) : null;
    const encoded = content?.toString("latin1");
    if (encoded === undefined || nameOf(encoded) !== name) throw unknown(name);
    return decode(encoded);
  };
  return {
    read,
    /** Those that are kept. */
    async all(): Promise<Manifest[]> {
      const found = (await files.names()).map((name) => read(name).catch(() => null));
      return (await Promise.all(found)).filter((manifest) => manifest !== null);
    },
    /** Answers with the name: equal content, equal name. */
    async keep(encoded: string): Promise<string> {
      const name = nameOf(encoded);
      const now = new Date();
      try {
        await utimes(await files.fileOf(name), now, now);
      } catch {
        await files.write(name, Buffer.from(encoded, "latin1"));
        await forgetOldest(await ownFolder(cwd, inside));
      }
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
    `Unknown tree ${name.slice(0, 80)} (the newest ${TREES_KEPT} are kept). Take a new snapshot.`,
  );
}
