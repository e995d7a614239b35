import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isSettled, stampOf } from "../file-digest.ts";
import { isOwnPath } from "../folders.ts";
import { bytesOf, fileAt, lstatOf, type RawPath, rawOf } from "../raw-path.ts";
import type { Tracked } from "./tracked.ts";

/** What decides which files git lists, but for the content of those that it lists. */
export interface FolderStatus {
  /** Names and kinds of what lies in each folder that git looks through. */
  entries: ReadonlyMap<RawPath, string>;
  /** Status of the tracked files. */
  files: ReadonlyMap<RawPath, FileStatus>;
  /** What the files say by which git ignores others. */
  rules: ReadonlyMap<RawPath, string>;
}

interface FileStatus {
  stamp: string;
  /** Whether it was written long enough ago that writing it again changes its status. */
  settled: boolean;
}

/** Which of the folders git does not look through, because it ignores them. */
export type AskIgnored = (folders: readonly RawPath[]) => Promise<ReadonlySet<RawPath>>;

/** Where more lies in the folders, git is quicker. */
const MOST = 5000;
const AT_ONCE = 500;

/**
 * Reads the status of a folder, so that git is asked again only when it may answer something else. A program more costs
 * more than the status of some thousand files.
 */
export class FolderStatusReader {
  readonly #top: string;
  readonly #askIgnored: AskIgnored;
  /** Whether git ignores a folder without tracked files, as long as the rules are these. */
  #known: { rules: ReadonlyMap<RawPath, string>; ignored: Map<RawPath, boolean> } | null = null;
  #isTooLarge = false;

  constructor(top: string, askIgnored: AskIgnored) {
    this.#top = top;
    this.#askIgnored = askIgnored;
  }

  /**
   * `ruleFiles`: the files of rules that lie outside of the folder. Null where only git can tell: too much lies there, or
   * repositories are inside.
   */
  async read(tracked: Tracked, ruleFiles: readonly string[]): Promise<FolderStatus | null> {
    if (this.#isTooLarge || tracked.submodules.size > 0 || tracked.sparse.size > 0) return null;
    const before = this.#known;
    this.#known = null;
    if (before !== null) {
      const known = await this.#walk(tracked, ruleFiles, before.ignored);
      if (known === null) return null;
      this.#known = before;
      if (isDeepStrictEqual(known.rules, before.rules)) return known;
    }
    const ignored = new Map<RawPath, boolean>();
    const found = await this.#walk(tracked, ruleFiles, ignored);
    this.#known = found && { rules: found.rules, ignored };
    return found;
  }

  /** Looks through every folder that git looks through; where it is not in `ignored` whether it does, git is asked. */
  async #walk(
    tracked: Tracked,
    ruleFiles: readonly string[],
    ignored: Map<RawPath, boolean>,
  ): Promise<FolderStatus | null> {
    const now = Date.now();
    const entries = new Map<RawPath, string>();
    const files = new Map<RawPath, FileStatus>();
    const rules = new Map<RawPath, string>();
    const folders: RawPath[] = [""];
    const unknown: RawPath[] = [];
    let seen = 0;
    for (const file of ruleFiles) rules.set(`/${file}`, textIn(bytesOf(rawOf(file))) ?? "");
    while (folders.length > 0) {
      const folder = folders.pop() ?? "";
      const found = entriesOf(this.#top, folder);
      if (found === null) return null;
      const told: string[] = [];
      for (const entry of found) {
        const name = entry.name.toString("latin1");
        const path = folder === "" ? name : `${folder}/${name}`;
        if (isOwnPath(path) || path === ".git") continue;
        seen += 1;
        this.#isTooLarge = seen > MOST;
        // A folder with `.git` is a repository of its own, which git does not look through.
        if (this.#isTooLarge || name === ".git") return null;
        if (seen % AT_ONCE === 0) await setImmediate();
        told.push(`${kindOf(entry)}${name}`);
        if (entry.isDirectory()) {
          if (tracked.folders.has(path) || ignored.get(path) === false) folders.push(path);
          else if (!ignored.has(path)) unknown.push(path);
          continue;
        }
        const file = fileAt(this.#top, path);
        if (name === ".gitignore") {
          const text = entry.isFile() ? textIn(file) : null;
          if (text === null) return null;
          rules.set(path, text);
        }
        if (!tracked.modes.has(path)) continue;
        const stats = lstatOf(file);
        if (stats === undefined) return null;
        files.set(path, { stamp: stampOf(stats), settled: isSettled(stats, now) });
      }
      entries.set(folder, told.sort().join("\0"));
      if (folders.length > 0 || unknown.length === 0) continue;
      const ignoredNow = await this.#askIgnored(unknown);
      for (const path of unknown.splice(0)) {
        ignored.set(path, ignoredNow.has(path));
        if (!ignoredNow.has(path)) folders.push(path);
      }
    }
    return { entries, files, rules };
  }
}

/**
 * Whether git would list the same as it did when the folder had the earlier status. `listed` are the files that it listed:
 * they are read each time, so it does not matter whether they changed.
 */
export function listsTheSame(
  before: FolderStatus,
  now: FolderStatus,
  listed: ReadonlySet<RawPath>,
): boolean {
  return (
    isDeepStrictEqual(before.entries, now.entries) &&
    isDeepStrictEqual(before.rules, now.rules) &&
    [...before.files].every(
      ([path, { stamp, settled }]) =>
        listed.has(path) || (settled && now.files.get(path)?.stamp === stamp),
    )
  );
}

/** What a regular file says, one character per byte; null where there is none, or none that may be read. */
function textIn(file: Buffer): string | null {
  try {
    return statSync(file).isFile() ? readFileSync(file, "latin1") : null;
  } catch {
    return null;
  }
}

/** Null for a folder that went away or may not be entered. */
function entriesOf(top: string, folder: RawPath): Dirent<Buffer>[] | null {
  try {
    return readdirSync(fileAt(top, folder), { encoding: "buffer", withFileTypes: true });
  } catch {
    return null;
  }
}

function kindOf(entry: Dirent<Buffer>): string {
  if (entry.isDirectory()) return "d";
  if (entry.isSymbolicLink()) return "l";
  return entry.isFile() ? "f" : "o";
}
