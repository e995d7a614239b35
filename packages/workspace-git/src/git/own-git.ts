import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HashName } from "./repository.ts";

/**
 * A git folder of our own. Git commands that look at the files of a project run with it in the place of the project's: what
 * stands in `.git`, which an agent can write, then neither starts a program nor changes what a file's content is taken for.
 */

/** Attributes with which a file is its bytes. */
const BYTES = "* -text !eol !crlf -ident !working-tree-encoding !filter !diff\n";

let home: Promise<string> | undefined;
const PREFIX = "ccw-loop-git-";
const STALE_MS = 7 * 24 * 60 * 60 * 1000;

/** A folder that only this process knows; gone when it ends. */
export async function privateFolder(): Promise<string> {
  const there = home && (await home.then(stat).catch(() => null));
  if (!there) {
    home = makePrivateFolder();
    made.clear();
  }
  return home as Promise<string>;
}

async function makePrivateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  process.once("exit", () => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Without descriptors nothing can be removed; it goes when it is old.
    }
  });
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

const made = new Map<string, string>();

/**
 * The environment in which git takes our git folder for that of the working tree at `top`. With `attributes` these stand above
 * the files of attributes in the tree; without them a file is its bytes.
 */
export async function ownGit(
  top: string,
  hash: HashName,
  attributes: string = BYTES,
): Promise<Record<string, string>> {
  const folder = await privateFolder();
  const key = `${hash}\n${attributes}`;
  const own = made.get(key) ?? makeOwnGit(join(folder, `git-${made.size}`), hash, attributes);
  made.set(key, own);
  return {
    GIT_DIR: own,
    GIT_WORK_TREE: top,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
  };
}

/** A git folder with nothing in it but what it says here. */
function makeOwnGit(folder: string, hash: HashName, attributes: string): string {
  for (const name of ["objects", "refs", "info"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const config =
    hash === "sha1"
      ? "[core]\n\trepositoryFormatVersion = 0\n"
      : "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n";
  const files = { HEAD: "ref: refs/heads/none\n", config, "info/attributes": attributes };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
