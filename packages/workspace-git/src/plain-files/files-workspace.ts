import { chmod, constants, copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { posix } from "node:path";
import { LoopError, type Workspace } from "@ccw-loop/core";
import { changedInstalled, keepInstalled } from "../clean-room/installed-files.ts";
import { installedFolders } from "../clean-room/installed-folders.ts";
import { installInto, smallIgnoredFiles } from "../clean-room/link-dependencies.ts";
import { fileDigest } from "../file-digest.ts";
import { emptyFolder, ownFolder } from "../folders.ts";
import { OBJECT_NAME } from "../git/repository.ts";
import { isSecret } from "../not-kept.ts";
import { fileAt, modeOf, type RawPath, rawOf, textOf } from "../raw-path.ts";
import { treeClaims } from "../tree-claim.ts";
import { pruneContents, storeContents } from "./content-store.ts";
import { type DigestStore, digestStore } from "./digest-store.ts";
import {
  applyChanges,
  contentOf,
  type Manifest,
  manifestChanges,
  manifestStore,
} from "./manifest.ts";
import { digestCache, IGNORED_FOLDERS, scan } from "./scan.ts";

const AT_ONCE = 32;
const LACKS = [
  "Without git no loop can be compared line by line, rewound or forked: there are no checkpoints to go back to. Run git init here first.",
  "Without git no loop can have a worktree and a branch of its own. Run git init here first.",
] as const;

/** A folder without git: every file's mode and content, but for `IGNORED_FOLDERS`. */
export function filesWorkspace(cwd: string): Workspace {
  const known = digestCache(cwd);
  const manifests = manifestStore(cwd);
  const contents = digestStore(cwd, ".contents");

  async function measure(without: readonly string[] = []) {
    const excluded = new Set(without.map(rawOf));
    const files = (await scan(cwd)).filter(({ path }) => !excluded.has(path));
    const manifest = new Map<RawPath, string>();
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const batch = files.slice(at, at + AT_ONCE);
      const read = await Promise.all(batch.map((file) => known(file)));
      batch.forEach(({ path, stats }, index) => {
        const digest = read[index];
        if (digest) manifest.set(path, `${modeOf(stats)} ${digest}`);
      });
    }
    const name = await manifests.keep(manifest);
    return { name, manifest, sizes: new Map(files.map(({ path, stats }) => [path, stats.size])) };
  }

  const claims = async () => treeClaims({ top: cwd, folder: await ownFolder(cwd, ".driver") });

  return {
    kind: "files",
    lacks: LACKS,
    claim: async (holder, ttlMs) => (await claims()).claim(holder, ttlMs),
    holder: async () => (await claims()).holder(),
    tree: async (without) => (await measure(without)).name,
    changes: async (from, to) =>
      manifestChanges(await manifests.read(from), await manifests.read(to)),
    async withChanges(onto, from, to) {
      const [before, after] = [await manifests.read(from), await manifests.read(to)];
      return manifests.keep(applyChanges(await manifests.read(onto), before, after));
    },
    untracked: async () => (await scan(cwd)).map(({ path }) => textOf(path)),
    async checkpoint(_id, _n, _message, { without } = {}) {
      const { name, manifest, sizes } = await measure(without);
      const skipped = await storeContents(cwd, manifest, sizes, contents);
      await pruneContents(manifest, manifests, contents);
      return { commit: name, tree: name, skipped };
    },
    async read(commit, paths) {
      // Nothing has the name of zeros alone.
      if (OBJECT_NAME.test(commit) && !/^0+$/.test(commit)) throw keptByGit(cwd);
      const manifest = await manifests.read(commit);
      const found = new Map<string, Uint8Array>();
      for (const path of paths) {
        const entry = manifest.get(rawOf(path));
        const content = entry && (await contents.read(contentOf(entry).digest));
        if (content) found.set(path, content);
      }
      return found;
    },
    async checkout(commit, folder, { overlay, installed } = {}) {
      const manifest = new Map(await manifests.read(commit));
      const other = overlay && (await manifests.read(overlay.commit));
      for (const path of overlay?.paths.map(rawOf) ?? []) {
        const entry = other?.get(path);
        if (entry === undefined) manifest.delete(path);
        else manifest.set(path, entry);
      }
      const top = await emptyFolder(folder, cwd);
      await writeFiles(cwd, top, manifest, contents);
      const place = { project: cwd, lists: cwd, folders: await ignoredInstalled(cwd), installed };
      return { cwd: top, top, project: cwd, linked: await installInto(top, place) };
    },
    async installed() {
      const secrets = (await scan(cwd)).map(({ path }) => path).filter(isSecret);
      const beside = await smallIgnoredFiles(cwd, secrets);
      return keepInstalled(cwd, cwd, await ignoredInstalled(cwd), beside);
    },
    changedInstalled: async (name) => changedInstalled(cwd, cwd, await ignoredInstalled(cwd), name),
    paths: async (commit) => [...(await manifests.read(commit)).keys()].map(textOf),
    // There is nothing that would have to be listed or dropped.
    worktrees: async () => [],
    commitOf: async () => null,
    forget: async () => undefined,
    diff: () => refuse(LACKS[0]),
    restore: () => refuse(LACKS[0]),
    adopt: () => refuse(LACKS[0]),
    addWorktree: () => refuse(LACKS[1]),
    commitWorktree: () => refuse(LACKS[1]),
    removeWorktree: () => refuse(LACKS[1]),
  };
}

function refuse(why: string): Promise<never> {
  return Promise.reject(new LoopError("invalid_input", why));
}

function keptByGit(cwd: string): LoopError {
  return new LoopError(
    "workspace_unavailable",
    `The files were kept in a git repository of ${cwd} that is gone. Put its .git folder back, or install git, then try again.`,
  );
}

/** Writes what a manifest names, but for secrets. Throws `invalid_input` for a file that is neither kept nor as it was. */
async function writeFiles(
  root: string,
  top: string,
  manifest: Manifest,
  contents: DigestStore,
): Promise<void> {
  for (const [path, entry] of manifest) {
    if (isSecret(path)) continue;
    const target = fileAt(top, path);
    const { mode, digest } = contentOf(entry);
    await mkdir(fileAt(top, posix.dirname(path)), { recursive: true });
    const kept = await contents.read(digest);
    if (kept && mode === "120000") await symlink(kept, target);
    else if (kept) await writeFile(target, kept);
    else if ((await fileDigest(fileAt(root, path)).catch(() => null)) === digest) {
      await copyFile(fileAt(root, path), target, constants.COPYFILE_FICLONE);
    } else throw notKept(textOf(path));
    if (mode !== "120000") await chmod(target, mode === "100755" ? 0o755 : 0o644);
  }
}

/** Installed folders that are no part of a tree. */
async function ignoredInstalled(root: string): Promise<string[]> {
  const installed = await installedFolders(root);
  return installed.filter((path) => path.split("/").some((part) => IGNORED_FOLDERS.has(part)));
}

function notKept(path: string): LoopError {
  return new LoopError(
    "invalid_input",
    `${path} has changed since this checkpoint, and without git its earlier content is not kept (it is too large). Run git init here first.`,
  );
}
