import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type FileChange, LoopError } from "@ccw-loop/core";
import { ownFolder } from "../folders.ts";
import { type RawPath, records, textOf } from "../raw-path.ts";
import { digestStore } from "./digest-store.ts";

/** What a tree holds: `mode digest` by path. */
export type Manifest = ReadonlyMap<RawPath, string>;

/** The parts of an entry. */
export function contentOf(entry: string): { mode: string; digest: string } {
  const [mode = "", digest = ""] = entry.split(" ");
  return { mode, digest };
}

/** One record for each file, in the order of their paths, each ended with NUL. */
function encode(manifest: Manifest): Buffer {
  const records = [...manifest].map(([path, content]) => `${content}\t${path}\0`);
  return Buffer.from(records.join(""), "latin1");
}

function decode(content: Buffer): Manifest {
  return new Map(
    records(content.toString("latin1")).map((record) => {
      const tab = record.indexOf("\t");
      return [record.slice(tab + 1), record.slice(0, tab)];
    }),
  );
}

/** `onto` with what differs between two manifests done to it, in the order of the paths. */
export function applyChanges(onto: Manifest, before: Manifest, after: Manifest): Manifest {
  const result = new Map(onto);
  for (const path of before.keys()) if (!after.has(path)) result.delete(path);
  for (const [path, entry] of after) if (before.get(path) !== entry) result.set(path, entry);
  return new Map([...result].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** In the order of the paths. */
export function manifestChanges(from: Manifest, to: Manifest): FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, content] of from) {
    const now = to.get(path);
    if (now === undefined) changes.push({ path: textOf(path), kind: "deleted" });
    else if (now !== content) changes.push({ path: textOf(path), kind: "modified" });
  }
  for (const path of to.keys()) {
    if (!from.has(path)) changes.push({ path: textOf(path), kind: "added" });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

const FOLDER = ".trees";
/** How many trees can be compared; those that were measured longest ago are forgotten. */
export const TREES_KEPT = 64;

export type ManifestStore = ReturnType<typeof manifestStore>;

/** The newest manifests, in `.workflow/.loop/.trees` unless another folder is named, so that another process can compare them. */
export function manifestStore(cwd: string, inside: string = FOLDER) {
  const kept = digestStore(cwd, inside, "files-");
  /** Throws `invalid_input` when no manifest of this name is kept, or when it is damaged. */
  const read = async (name: string): Promise<Manifest> => {
    const content = await kept.read(name);
    if (content === null) throw unknown(name);
    return decode(content);
  };
  return {
    read,
    /** Those that are kept. */
    async all(): Promise<Manifest[]> {
      const found = (await kept.names()).map((name) => read(name).catch(() => null));
      return (await Promise.all(found)).filter((manifest) => manifest !== null);
    },
    /** Answers with the name: equal content, equal name. */
    async keep(manifest: Manifest): Promise<string> {
      const name = await kept.keep(encode(manifest));
      await forgetOldest(await ownFolder(cwd, inside));
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
