import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HashName } from "./repository.ts";

/**
 * A git folder of our own. Git commands that look at the files of a project run with it in the place of the project's: what
 * stands in `.git`, which an agent can write, then neither starts a program nor changes what a file's content is taken for.
 */

/** A git folder with nothing in it but what it says here. */
const FILES: Readonly<Record<string, string>> = {
  HEAD: "ref: refs/heads/none\n",
  // Above every other file of attributes: a file is its bytes.
  "info/attributes": "* -text !eol !crlf -ident !working-tree-encoding !filter !diff\n",
};

let home: Promise<string> | undefined;
const PREFIX = "ccw-loop-git-";
const STALE_MS = 7 * 24 * 60 * 60 * 1000;

/** A folder that only this process knows; gone when it ends. */
export async function privateFolder(): Promise<string> {
  const there = home && (await stat(await home).catch(() => null));
  if (!there) {
    home = makePrivateFolder();
    made.clear();
  }
  return home as Promise<string>;
}

async function makePrivateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await removeStale();
  return folder;
}

/** What processes left that were killed. */
async function removeStale(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    const found = await stat(folder).catch(() => null);
    if (found === null || found.mtimeMs > Date.now() - STALE_MS) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

const made = new Map<HashName, string>();

/** The environment in which git takes our git folder for that of the working tree at `top`. */
export async function ownGit(top: string, hash: HashName): Promise<Record<string, string>> {
  const folder = await privateFolder();
  const own = made.get(hash) ?? makeOwnGit(join(folder, hash), hash);
  made.set(hash, own);
  return {
    GIT_DIR: own,
    GIT_WORK_TREE: top,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
  };
}

function makeOwnGit(folder: string, hash: HashName): string {
  for (const name of ["objects", "refs", "info"])
    mkdirSync(join(folder, name), { recursive: true });
  const format =
    hash === "sha1"
      ? "[core]\n\trepositoryFormatVersion = 0\n"
      : "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n";
  for (const [name, text] of Object.entries({ ...FILES, config: format })) {
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
