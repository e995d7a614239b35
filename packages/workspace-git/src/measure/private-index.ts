import { rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { commitAt } from "../checkpoint/commit-object.ts";
import { stampOf } from "../file-digest.ts";
import { isOwnPath } from "../folders.ts";
import { isStored, ObjectWriter } from "../git/object-writer.ts";
import { ownGit, privateFolder } from "../git/own-git.ts";
import { headCommit, objectFolders, type Repository, zeroName } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { editTree, filesOf, type TreeEdit, type TreeFile } from "../git/trees.ts";
import { READ_LIMIT } from "../not-kept.ts";
import { fileAt, lstatOf, type RawPath, records } from "../raw-path.ts";
import { type FolderStatus, FolderStatusReader, listsTheSame } from "./folder-status.ts";
import { excludes, ignoredFolders, ruleFiles, type Settings } from "./git-settings.ts";
import { unlessStalled } from "./stalled.ts";
import { mayBeSubmodule, type Tracked, TrackedFiles } from "./tracked.ts";

/** What lies in the folder, compared with an index of ours. */
export interface Listed {
  /** The tree of that index, with what a sparse checkout leaves out; null for an empty one. */
  base: string | null;
  tracked: Tracked;
  /** Paths that may not be what the base says. */
  changed: RawPath[];
  /** Files that are not in the index of ours; neither ignored nor ours. */
  others: RawPath[];
  /** Folders that are repositories themselves and that nobody tracks. */
  nested: RawPath[];
  /** Folders of the base that are links by now. */
  linked: RawPath[];
}

const ADD = ["update-index", "--add", "--remove", "--replace", "--info-only", "-z", "--stdin"];
const LIST = ["ls-files", "-z", "-t", "--modified", "--deleted", "--others"];
/** When so many files differ from the index, they are put into it. */
const MANY = 500;
/**
 * A file that was written this shortly ago may be written again without a new status: git compares whole seconds. It is looked
 * at one by one until then.
 */
const SETTLED_MS = 2000;
/** So few are looked at one by one for good: what git read of them would save less than git costs. */
const FEW = 100;
const AT_ONCE = 1000;

/** The tree of the index of ours. */
interface Base {
  tracked: Tracked;
  tree: string | null;
}

let numbered = 0;

/** Removes the index of a folder that nobody looks at any more. */
const unused = new FinalizationRegistry<string>((file) => rmSync(file, { force: true }));

/**
 * An index of our own, which says what the tracked files held when we read them, all of them once, and by their status since
 * then. The user's index says what is tracked and nothing else: whoever writes it could hide a change behind it.
 */
export class PrivateIndex {
  readonly #repository: Repository;
  readonly #objects: string;
  readonly #settings: () => Promise<Settings>;
  readonly #tracked: TrackedFiles;
  #file = "";
  /** The entries of the index. */
  #entries = new Set<RawPath>();
  #base: Base | null = null;
  /** How many files were too young to be put into the index, and when none of them is, in milliseconds since 1970. */
  #young = 0;
  #settledAt = 0;
  /** What git listed last, for which index, and the status of the folder before it did. */
  #known: { of: Base; status: FolderStatus; listed: Listed; paths: Set<RawPath> } | null = null;
  readonly #status: FolderStatusReader;
  #turn: Promise<unknown> = Promise.resolve();

  /** `objects`: the folder for trees that the repository is not to have. */
  constructor(repository: Repository, objects: string, settings: () => Promise<Settings>) {
    this.#repository = repository;
    this.#objects = objects;
    this.#settings = settings;
    this.#tracked = new TrackedFiles(repository);
    const { top } = repository;
    this.#status = new FolderStatusReader(top, async (folders) =>
      ignoredFolders(top, await settings(), folders),
    );
  }

  list(): Promise<Listed> {
    const listed = this.#turn.then(() => this.#list());
    this.#turn = listed.catch(() => undefined);
    return listed;
  }

  async #list(): Promise<Listed> {
    await this.#open();
    const tracked = await this.#tracked.read();
    const listed = await this.#ask(tracked);
    if (listed.changed.length <= MANY) return listed;
    await this.#add(listed.changed);
    return this.#ask(tracked);
  }

  /** Begins anew where the index is gone, as a temporary folder may be after some days. */
  async #open(): Promise<void> {
    const isThere = this.#entries.size === 0 || (await stat(this.#file).catch(() => null)) !== null;
    if (isThere && this.#base !== null) return;
    const folder = await privateFolder();
    if (dirname(this.#file) !== folder) {
      this.#file = join(folder, `index-${numbered++}`);
      unused.register(this, this.#file);
    }
    this.#entries = new Set();
    this.#base = null;
  }

  async #run(args: readonly string[], input?: readonly RawPath[]): Promise<string> {
    const { top, hash } = this.#repository;
    const env = {
      ...(await ownGit(top, hash)),
      ...objectFolders(this.#repository, this.#objects),
      GIT_INDEX_FILE: this.#file,
    };
    const { config } = await this.#settings();
    const { stdout } = await unlessStalled(top, (signal) =>
      git(args, { cwd: top, config, env, signal, ...(input ? { input } : {}) }),
    );
    return stdout;
  }

  /** Brings the entries of the index in line with what is tracked, and asks what differs from them. */
  async #ask(tracked: Tracked): Promise<Listed> {
    const isSettled = this.#young > FEW && this.#settledAt < Date.now();
    const isOther = this.#base?.tracked !== tracked || this.#hasOtherSubmodules(tracked);
    if (isOther || isSettled) await this.#follow(tracked);
    const base = await this.#baseOf(tracked);
    const rules = ruleFiles(await this.#settings(), join(this.#repository.common, "info"));
    const status = await this.#status.read(tracked, rules);
    const known = this.#known?.of === this.#base ? this.#known : null;
    if (known && status && listsTheSame(known.status, status, known.paths)) return known.listed;
    const stdout = await this.#run([...LIST, ...(await excludes(rules))]);
    const listed: Listed = { base, tracked, changed: [], others: [], nested: [], linked: [] };
    const changed = new Set<RawPath>();
    for (const record of records(stdout)) {
      const path = record.slice(2);
      if (isOwnPath(path)) continue;
      if (!record.startsWith("?")) changed.add(path);
      else if (path.endsWith("/")) listed.nested.push(path.slice(0, -1));
      else listed.others.push(path);
    }
    // What is tracked and was not there, or is not to be read, when the index was made may be ignored.
    for (const path of tracked.modes.keys()) if (!this.#entries.has(path)) changed.add(path);
    const { top } = this.#repository;
    for (const path of tracked.sparse.keys()) if (lstatOf(fileAt(top, path))) changed.add(path);
    listed.linked = await this.#linkedFolders(tracked);
    listed.changed = [...changed];
    const of = listed.nested.length + listed.linked.length === 0 ? this.#base : null;
    this.#known = of && status && { of, status, listed, paths: changed };
    return listed;
  }

  async #follow(tracked: Tracked): Promise<void> {
    const zero = zeroName(this.#repository);
    const noName = zero.replaceAll("0", "1");
    const { top } = this.#repository;
    const isPlain = (path: RawPath) => tracked.submodules.has(path) && !mayBeSubmodule(top, path);
    const gone = [...this.#entries].filter((path) => !tracked.modes.has(path) || isPlain(path));
    const linked = await this.#linkedFolders(tracked);
    const { fileMode } = await this.#settings();
    const told: RawPath[] = gone.map((path) => `0 ${zero}\t${path}`);
    const read: RawPath[] = [];
    let looked = 0;
    this.#settledAt = 0;
    this.#young = 0;
    for (const [path, mode] of tracked.modes) {
      if (this.#entries.has(path)) continue;
      looked += 1;
      if (looked % AT_ONCE === 0) await setImmediate();
      const submodule = tracked.submodules.get(path);
      if (submodule !== undefined && isPlain(path)) continue;
      if (linked.some((folder) => path.startsWith(`${folder}/`))) continue;
      if (submodule !== undefined) told.push(`160000 ${submodule}\t${path}`);
      else if (this.#isToBeRead(path)) {
        read.push(path);
        // Without the file system's word on it the mode is what the user's index has.
        if (!fileMode && mode.startsWith("100")) told.push(`${mode} ${noName}\t${path}`);
      } else continue;
      this.#entries.add(path);
    }
    for (const path of gone) this.#entries.delete(path);
    if (told.length > 0) await this.#run(["update-index", "-z", "--index-info"], told);
    await this.#read(read);
    if (told.length + read.length > 0 || this.#base?.tracked !== tracked) this.#base = null;
  }

  /** Has git read the files. One that was written meanwhile is not in the index then: what git read may not lie there. */
  async #read(paths: readonly RawPath[]): Promise<void> {
    if (paths.length === 0) return;
    const before = paths.map((path) => this.#stampOf(path));
    await this.#run(ADD, paths);
    const zero = zeroName(this.#repository);
    const written = paths.filter((path, index) => this.#stampOf(path) !== before[index]);
    if (written.length === 0) return;
    const dropped = written.map((path) => `0 ${zero}\t${path}`);
    await this.#run(["update-index", "-z", "--index-info"], dropped);
    for (const path of written) this.#entries.delete(path);
    this.#settledAt = Date.now() + SETTLED_MS;
    this.#young += written.length;
  }

  #stampOf(path: RawPath): string {
    const found = lstatOf(fileAt(this.#repository.top, path));
    return found ? stampOf(found) : "";
  }

  #hasOtherSubmodules({ submodules }: Tracked): boolean {
    const { top } = this.#repository;
    return [...submodules.keys()].some(
      (path) => this.#entries.has(path) !== mayBeSubmodule(top, path),
    );
  }

  /** Whether it is a file or a link that can be put into the index by now. */
  #isToBeRead(path: RawPath): boolean {
    const found = lstatOf(fileAt(this.#repository.top, path));
    if (!found || (found.isFile() ? found.size > READ_LIMIT : !found.isSymbolicLink()))
      return false;
    const settledAt = Math.max(Number(found.mtimeMs), Number(found.ctimeMs)) + SETTLED_MS;
    if (settledAt < Date.now()) return true;
    this.#settledAt = Math.max(this.#settledAt, settledAt);
    this.#young += 1;
    return false;
  }

  async #add(paths: readonly RawPath[]): Promise<void> {
    const files = paths.filter((path) => this.#entries.has(path) && this.#isToBeRead(path));
    if (files.length === 0) return;
    await this.#read(files);
    this.#base = null;
  }

  async #baseOf(tracked: Tracked): Promise<string | null> {
    const known = this.#base;
    if (known && (await this.#isThere(known.tree))) return known.tree;
    const isEmpty = this.#entries.size === 0;
    const written = isEmpty ? null : (await this.#run(["write-tree", "--missing-ok"])).trim();
    const tree = await this.#withSparse(written, tracked);
    this.#base = { tracked, tree };
    return tree;
  }

  /** Whether a tree can still be read: our folder of objects may have been removed. */
  async #isThere(tree: string | null): Promise<boolean> {
    if (tree === null || isStored(this.#objects, tree)) return true;
    return (await this.#repository.reader.find(tree, "tree")) !== null;
  }

  /**
   * With what a sparse checkout leaves out, where HEAD has the same. Anything else the index can only claim: it is not
   * there.
   */
  async #withSparse(tree: string | null, { sparse }: Tracked): Promise<string | null> {
    if (sparse.size === 0) return tree;
    const { hash, reader } = this.#repository;
    const head = await headCommit(this.#repository);
    const commit = head && (await commitAt(this.#repository, head));
    const files = commit ? await filesOf(this.#repository, commit.tree) : [];
    const isHeads = ({ path, mode, name }: TreeFile) => {
      const told = sparse.get(path);
      return told?.name === name && told.mode === mode;
    };
    const edits = files
      .filter(isHeads)
      .map(({ path, ...file }): [RawPath, TreeEdit] => [path, file]);
    const writer = new ObjectWriter(this.#objects, hash);
    return editTree({ reader, hash }, writer, tree, new Map(edits));
  }

  /** Folders with tracked files that are links by now: git looks through those that it was told to ignore. */
  async #linkedFolders({ folders }: Tracked): Promise<RawPath[]> {
    const linked: RawPath[] = [];
    let looked = 0;
    for (const path of folders) {
      looked += 1;
      if (looked % AT_ONCE === 0) await setImmediate();
      if (lstatOf(fileAt(this.#repository.top, path))?.isSymbolicLink()) linked.push(path);
    }
    return linked;
  }
}
