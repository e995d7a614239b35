import { type BigIntStats, constants } from "node:fs";
import { access, readlink } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isLoopError } from "@ccw-loop/core";
import { fileDigest, StampCache } from "../file-digest.ts";
import { changedMeanwhile } from "../git/errors.ts";
import { fileBlobName, isStored, ObjectWriter, objectName } from "../git/object-writer.ts";
import { commitOf, type Repository, shownPath } from "../git/repository.ts";
import { editTree, NOTHING as NO_FOLDER, type TreeEdit } from "../git/trees.ts";
import { placeholderText, READ_LIMIT, skipReason } from "../not-kept.ts";
import { fileAt, lstatOf, modeOf, type RawPath, rawOf, textOf } from "../raw-path.ts";
import { readSettings, type Settings } from "./git-settings.ts";
import { PrivateIndex } from "./private-index.ts";
import { mayBeSubmodule, type Tracked } from "./tracked.ts";

/** The files of a working tree at one moment. */
export interface WorkingTree {
  /** The name of the whole content, byte for byte. */
  tree: string;
  tracked: Tracked;
  /** Files that no checkpoint keeps, with the reason. */
  leftOut: Map<RawPath, string>;
  /** Bytes of the files that were looked at one by one. */
  sizes: Map<RawPath, bigint>;
}

/** What a look found, and from what. */
interface Look {
  base: string | null;
  edits: ReadonlyMap<RawPath, TreeEdit>;
  found: WorkingTree;
}

const AT_ONCE = 64;
/** How often is looked again where a file changes meanwhile. */
const TRIES = 10;

/** What is known about the files of one repository from look to look. */
export class Measure {
  readonly #repository: Repository;
  readonly #objects: string;
  readonly #index: PrivateIndex;
  readonly #names = new StampCache<string>();
  readonly #digests = new StampCache<string>();
  #settings: Promise<Settings> | undefined;
  #newest: Look | undefined;

  constructor(repository: Repository, objects: string) {
    this.#repository = repository;
    this.#objects = objects;
    this.#index = new PrivateIndex(repository, objects, () => this.settings());
  }

  /** What the configuration says; it is read once. */
  settings(): Promise<Settings> {
    this.#settings ??= readSettings(this.#repository.top, this.#objects).catch((error: unknown) => {
      this.#settings = undefined;
      throw error;
    });
    return this.#settings;
  }

  /** `without`: untracked files, as people see their paths, that count as if they were not there. */
  look(without: ReadonlySet<string> = NOTHING): Promise<WorkingTree> {
    return orAgain(() => this.#look(without));
  }

  async #look(without: ReadonlySet<string>): Promise<WorkingTree> {
    const listed = await this.#index.list();
    const { base, tracked, changed, nested } = listed;
    const isWanted = (path: RawPath) =>
      without.size === 0 ||
      tracked.modes.has(path) ||
      !without.has(shownPath(this.#repository, path));
    const edits = new Map<RawPath, TreeEdit>();
    const found: Omit<WorkingTree, "tree"> = { tracked, leftOut: new Map(), sizes: new Map() };
    const paths = [...changed, ...listed.others.filter(isWanted)];
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      await Promise.all(
        paths.slice(at, at + AT_ONCE).map(async (path) => {
          const edit = await this.#editOf(path, found).catch(gone);
          if (edit !== undefined) edits.set(path, edit);
        }),
      );
    }
    for (const path of listed.linked) {
      // Seen through the link are files that lie elsewhere.
      for (const inside of edits.keys()) if (inside.startsWith(`${path}/`)) edits.delete(inside);
      const link = await this.#editOf(path, found).catch(gone);
      edits.set(path, edits.has(path) && link ? link : NO_FOLDER);
    }
    for (const path of nested) {
      const head = await this.#headIn(path);
      if (head !== null) edits.set(path, { mode: SUBMODULE, name: head });
    }
    const { reader, hash } = this.#repository;
    const writer = new ObjectWriter(this.#objects, hash);
    const before = this.#newest;
    const isSame = before && before.base === base && sameEdits(before.edits, edits);
    const tree =
      isSame && isStored(this.#objects, before.found.tree)
        ? before.found.tree
        : await editTree({ reader, hash }, writer, base, edits);
    this.#newest = { base, edits, found: { tree, ...found } };
    return this.#newest.found;
  }

  /** What the newest look found, if that is the tree. */
  lookedAt(tree: string | undefined): WorkingTree | undefined {
    const found = this.#newest?.found;
    return found?.tree === tree ? found : undefined;
  }

  /** Folders that hold a repository of their own, but for submodules: their commits are nowhere else. */
  async repositoriesInside(): Promise<RawPath[]> {
    const { nested, tracked } = await this.#index.list();
    const hasOwn = (path: RawPath) =>
      lstatOf(fileAt(this.#repository.top, `${path}/.git`))?.isDirectory() === true;
    return [...nested, ...[...tracked.submodules.keys()].filter(hasOwn)];
  }

  /** Files that nobody tracks and that are not ignored. */
  async untracked(): Promise<RawPath[]> {
    const { others, tracked } = await this.#index.list();
    return others.filter((path) => !tracked.modes.has(path) && !tracked.sparse.has(path));
  }

  /** What lies at a path; undefined for a submodule that is as the base has it. */
  async #editOf(
    path: RawPath,
    { tracked, leftOut, sizes }: Omit<WorkingTree, "tree">,
  ): Promise<TreeEdit | undefined> {
    const file = fileAt(this.#repository.top, path);
    const { hash } = this.#repository;
    const stats = lstatOf(file);
    if (stats?.isDirectory() && tracked.submodules.has(path)) {
      if (!mayBeSubmodule(this.#repository.top, path)) return null;
      const head = await this.#headIn(path);
      return head === null ? undefined : { mode: SUBMODULE, name: head };
    }
    if (stats?.isSymbolicLink()) {
      const target = await readlink(file, { encoding: "buffer" });
      return { mode: LINK, name: objectName(hash, "blob", target) };
    }
    if (!stats?.isFile()) return null;
    const readable = await access(file, constants.R_OK).then(
      () => true,
      () => false,
    );
    const isTracked = tracked.modes.has(path) || tracked.sparse.has(path);
    const reason = skipReason(path, { tracked: isTracked, readable, size: stats.size });
    if (reason !== null) leftOut.set(path, reason);
    sizes.set(path, stats.size);
    const isRead = readable && (isTracked || stats.size <= READ_LIMIT);
    const name = isRead
      ? await this.#nameOf(path, stats)
      : objectName(hash, "blob", placeholderText(stats));
    return { mode: await this.#modeOf(path, stats, tracked), name };
  }

  async #modeOf(path: RawPath, stats: BigIntStats, { modes }: Tracked): Promise<string> {
    if ((await this.settings()).fileMode) return modeOf(stats);
    const told = modes.get(path);
    return told?.startsWith("100") ? told : "100644";
  }

  /** The name of a regular file's bytes; not read again while its status is the same. */
  async #nameOf(path: RawPath, stats: BigIntStats): Promise<string> {
    const known = this.#names.get(path, stats);
    if (known !== undefined) return known;
    const { top, hash } = this.#repository;
    const file = fileAt(top, path);
    const now = Date.now();
    const name = await fileBlobName(hash, file, Number(stats.size));
    if (name === null) throw changedMeanwhile(path);
    this.#names.set(path, stats, name, now);
    return name;
  }

  /** SHA-256 of a regular file's bytes; not read again while its status is the same. */
  digestOf(path: RawPath, stats: BigIntStats): Promise<string> {
    return this.#digestOf(`f${path}`, fileAt(this.#repository.top, path), stats);
  }

  /** The same of a file in the store of git-lfs; null for no file. */
  async storedDigest(file: string): Promise<string | null> {
    const place = Buffer.from(file);
    const stats = lstatOf(place);
    return stats?.isFile() ? this.#digestOf(`s${file}`, place, stats) : null;
  }

  async #digestOf(key: string, file: Buffer, stats: BigIntStats): Promise<string> {
    const known = this.#digests.get(key, stats);
    if (known !== undefined) return known;
    const now = Date.now();
    const digest = await fileDigest(file);
    this.#digests.set(key, stats, digest, now);
    return digest;
  }

  /** The commit of a repository inside; null where there is none of its own. */
  async #headIn(path: RawPath): Promise<string | null> {
    const isText = rawOf(textOf(path)) === path;
    if (!isText || lstatOf(fileAt(this.#repository.top, `${path}/.git`)) === undefined) return null;
    return commitOf({ top: join(this.#repository.top, textOf(path)) }, "HEAD");
  }
}

function sameEdits(
  some: ReadonlyMap<RawPath, TreeEdit>,
  others: ReadonlyMap<RawPath, TreeEdit>,
): boolean {
  return (
    some.size === others.size &&
    [...some].every(([path, edit]) => {
      return others.has(path) && isDeepStrictEqual(others.get(path), edit);
    })
  );
}

/** A file may change while it is read or kept; then all of it is looked at again. */
export async function orAgain<T>(use: (again: boolean) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await use(tries > 1);
    } catch (error) {
      if (tries >= TRIES || !isLoopError(error, "workspace_changed")) throw error;
    }
  }
}

/** A file that went away while it was looked at is not there. */
function gone(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}

const NOTHING: ReadonlySet<string> = new Set();
const SUBMODULE = "160000";
const LINK = "120000";
