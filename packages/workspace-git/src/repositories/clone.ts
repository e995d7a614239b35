import { randomBytes } from "node:crypto";
import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { type CloneFrom, LoopError, parseLoopId, type Worktree } from "@ccw-loop/core";
import { requireCheckpoint } from "../checkpoint/entries.ts";
import { branchOf, refsOf } from "../checkpoint/refs.ts";
import { restore } from "../checkpoint/restore.ts";
import { objectsFolder } from "../folders.ts";
import { requireRepository } from "../git/repository.ts";
import { git } from "../git/run.ts";
import { openRepository } from "../measure/open-repository.ts";
import { writeCommitted } from "../worktree/add.ts";
import type { Mirror } from "./mirror.ts";
import { refused } from "./server.ts";

/** Where a clone of a loop is made, and from what. */
export interface CloneSpec {
  mirror: Mirror;
  /** The folder of all clones of this machine. */
  folder: string;
  id: string;
  ref: string | undefined;
  from: CloneFrom | null;
}

/**
 * A repository of the loop's own, with its branch and its checkpoints. Objects are copied and not shared: an agent can
 * write those of its clone, and must not reach another loop's.
 */
export async function makeClone({ mirror, folder, id, ref, from }: CloneSpec): Promise<Worktree> {
  const branch = branchOf(id);
  const top = join(folder, `${parseLoopId(id)}-${randomBytes(4).toString("hex")}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mirror.fetch(id);
  const begin = from === null ? await mirror.resolve(ref) : await checkpointIn(mirror, from);
  try {
    await copy(mirror, top, id);
    const real = await realpath(top);
    const opened = openRepository(await requireRepository(real), await objectsFolder(real));
    const { repository } = opened;
    const head =
      from === null ? begin : ((await requireCheckpoint(repository, begin)).head ?? begin);
    const tip = await mirror.commitOf(`refs/heads/${branch}`);
    await git(["update-ref", `refs/heads/${branch}`, tip ?? head], { cwd: real });
    await git(["symbolic-ref", "HEAD", `refs/heads/${branch}`], { cwd: real });
    // What an earlier owner pushed as the end is no part of the files yet.
    if (tip !== null && tip !== head) {
      await git(["update-ref", "--no-deref", "HEAD", head], { cwd: real });
    }
    await git(["read-tree", head], { cwd: real });
    await writeCommitted(repository, head);
    if (from !== null) await restore(opened, from.start);
    return { path: real, top: real, branch };
  } catch (error) {
    await rm(top, { recursive: true, force: true });
    throw error;
  }
}

/** The newest checkpoint. Throws `repository_refused` where the server lost it, or never had it. */
async function checkpointIn(mirror: Mirror, { start, newest }: CloneFrom): Promise<string> {
  for (const commit of [start, newest]) {
    if ((await mirror.commitOf(commit)) !== null) continue;
    throw refused(mirror.url, `it does not have the checkpoint ${commit} of this loop any more`);
  }
  return newest;
}

async function copy({ folder, url }: Mirror, top: string, id: string): Promise<void> {
  const local = {
    config: { "protocol.file.allow": "always" },
    env: { GIT_ALLOW_PROTOCOL: "file" },
  };
  const clone = ["clone", "--quiet", "--no-checkout", "--no-hardlinks", "--template="];
  const signal = AbortSignal.timeout(30 * 60 * 1000);
  try {
    await git([...clone, "--", folder, top], { cwd: folder, signal, ...local });
    const refs = `+${refsOf(id)}*:${refsOf(id)}*`;
    await git(["fetch", "--quiet", "--no-tags", "--", folder, refs], {
      cwd: top,
      signal,
      ...local,
    });
    await git(["remote", "set-url", "origin", url], { cwd: top });
  } catch (cause) {
    if (!signal.aborted) throw cause;
    const message = `The clone ${top} was not made within 30 minutes. Look at the disk, then try again.`;
    throw new LoopError("repository_unavailable", message, { cause });
  }
}
