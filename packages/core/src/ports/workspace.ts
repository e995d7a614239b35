import { z } from "zod";
import type { Checkpoint } from "../state/workspace.ts";

/** A file that differs between two trees. */
export const FileChange = z.object({
  path: z.string(),
  kind: z.enum(["added", "modified", "deleted"]),
});
export type FileChange = z.infer<typeof FileChange>;

/**
 * Files that were kept. `commit` names them for `read`, `diff`, `restore` and `checkout`; `skipped` are untracked files
 * that may hold secrets (`.env` and its like) or are too large.
 */
export type StoredCheckpoint = Pick<Checkpoint, "commit" | "tree" | "skipped">;

export interface CheckpointOptions {
  /** The commit of the loop's checkpoint before, which the new one continues. */
  after?: string | undefined;
  /**
   * What `tree` just named, where nothing of the caller's ran since. The files may be kept as they were then, without
   * another look; where they are other ones by now, the answer says so.
   */
  looked?: string | undefined;
  /** As for `tree`. */
  without?: readonly string[] | undefined;
}

export interface CheckoutOptions {
  /** Another checkpoint whose form of these paths is laid over; a path that is not in it is left out. */
  overlay?: { commit: string; paths: readonly string[] };
  /** What was installed then, as `installed` named it: what is not as it was is left out. */
  installed?: string | undefined;
}

export interface Checkout {
  /** The folder that corresponds to the project root. */
  cwd: string;
  /** Its own top folder: `cwd`, or one above it. */
  top: string;
  /** The top of what it was made from; everything below is of no concern to the checkout … */
  project: string;
  /** … but for these folders, into which its links lead. */
  linked: string[];
  /** Files of the project that it is without on purpose, from `cwd`. */
  without?: readonly string[];
  /** Where set, what lies outside of the project is shown as it was then, as far as the system can. */
  surroundings?: Pick<Surroundings, "since" | "newer"> | undefined;
}

/** What lies outside of a project, as a loop has left it. */
export interface Surroundings {
  /** When the loop began. */
  since: Date;
  /** Files, and whole folders, that are newer, by absolute path. */
  newer: readonly string[];
  /** Whether tests in clean rooms may find something there that was not there then. */
  changed: boolean;
}

/** What lies between two checkpoints. */
export const Diff = z.object({
  files: z.array(
    FileChange.extend({
      /** Lines; null for a binary file. */
      added: z.int().nullable(),
      removed: z.int().nullable(),
    }),
  ),
  /** Unified, with `a/` and `b/`; empty for binary content beyond its name. */
  patch: z.string(),
  /** Where the paths of the patch begin above the project: the way from there to it, with `/` at its end. */
  prefix: z.string().exactOptional(),
});
export type Diff = z.infer<typeof Diff>;

export const Worktree = z.object({
  /** Where the loop works: the folder that corresponds to the project root. */
  path: z.string(),
  branch: z.string(),
  top: z.string(),
});
export type Worktree = z.infer<typeof Worktree>;

/** What a worktree takes on disk. */
export const WorktreeUse = z.object({
  id: z.string(),
  ...Worktree.shape,
  bytes: z.number(),
  /** Whether files lie there that its branch does not have. */
  dirty: z.boolean(),
  /** RFC 3339; null where that cannot be told. */
  made_at: z.string().nullable(),
});
export type WorktreeUse = z.infer<typeof WorktreeUse>;

export interface TreeHolder {
  loop: string;
  /** The folder of the project that keeps the loop. */
  project: string;
  /** Names the process, as in leases. */
  owner: string;
}

/** The right to work on files: nobody else gets it until it is given back, or was not renewed in time. */
export interface TreeClaim {
  /**
   * Those who did not renew it in time although their processes may still live, the latest last. Whoever has the claim ends
   * their work before the first renewal; where it does not come to that, the next claim names them again.
   */
  takenFrom: readonly TreeHolder[];
  /** Throws `fenced` when somebody else has it by now. */
  renew(): Promise<void>;
  /** A claim that was lost already is no error. */
  release(): Promise<void>;
  /** Puts the claim back from which it was taken, as late as that one was: whoever claims next has to deal with it. */
  giveBack(): Promise<void>;
}

/**
 * The files the agent works on. `tree` names their whole content (ignored files and our own `.workflow`
 * left out): equal content, equal name. The user's branch, index, stash and hooks stay untouched. Contract,
 * executable as `describeWorkspace` in `@ccw-loop/testkit`.
 */
export interface Workspace {
  /** `git`, or `files` where there is no repository. */
  readonly kind: string;
  /** What it cannot do here, as sentences with the next step; empty with git. */
  readonly lacks: readonly string[];
  /**
   * Claims the files for a loop whose lease the caller holds: one loop at a time, whatever project keeps it and by
   * whatever path its folder was opened. A loop takes over its own earlier claim. A claim ends with the process that
   * made it, or `ttlMs` after it was last renewed. Throws `workspace_busy`, with the holder in `details`.
   */
  claim(holder: TreeHolder, ttlMs: number): Promise<TreeClaim>;
  /** Who has a claim that still counts; null when the files are free. */
  holder(): Promise<TreeHolder | null>;
  /** `without` names files that are left out as if they were not there; one that git tracks is not left out. */
  tree(without?: readonly string[]): Promise<string>;
  changes(from: string, to: string): Promise<FileChange[]>;
  /**
   * The tree that `onto` becomes when what differs between `from` and `to` is done to it. Throws `invalid_input` for
   * trees that are not known.
   */
  withChanges(onto: string, from: string, to: string): Promise<string>;
  /** Files that are part of the content although git does not track them; without git all of them. */
  untracked(): Promise<string[]>;
  /**
   * Keeps the present files as number `n` of loop `id`. An earlier number `n` stays kept beside it until `forget`,
   * whoever made it. Without git files up to 10 MB are kept, 256 MB in all, for `read`.
   */
  checkpoint(
    id: string,
    n: number,
    message: string,
    options?: CheckpointOptions,
  ): Promise<StoredCheckpoint>;
  /**
   * Contents by path, at most 1 MB each, 10 MB without git; a path that is not kept is not in the answer. Throws `workspace_unavailable` where a
   * repository kept them that is gone.
   */
  read(commit: string, paths: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** Throws `invalid_input` without git, or for a commit that is gone. With `counts` the patch is left out. */
  diff(from: string, to: string, options?: { counts?: boolean }): Promise<Diff>;
  /**
   * Makes the files those of the checkpoint: what was not there is deleted, ignored and skipped files stay, and so do
   * those that `leaves` names. The caller has kept what would be lost. Can be repeated after a crash. Throws
   * `invalid_input` as `diff`.
   */
  restore(commit: string, leaves?: readonly string[]): Promise<FileChange[]>;
  /**
   * Writes the files of the checkpoint into an empty folder outside the project and links what is installed here
   * (`node_modules`, `.venv`, …), so that its tests can run there. With `installed`, small files that no tree holds (what git
   * ignores, secrets) are copied there as well, as long as they are what they were then. Throws `invalid_input` for a commit, or an
   * `installed`, that is not kept any more.
   */
  checkout(commit: string, folder: string, options?: CheckoutOptions): Promise<Checkout>;
  /**
   * The newest of the user's own commits whose files are that tree, our own folder left out: `read`, `paths` and `checkout`
   * take it as they take a checkpoint, and `changes` knows the tree. Null where there is none.
   */
  commitOf(tree: string): Promise<string | null>;
  /** The paths of a checkpoint, from the project root. */
  paths(commit: string): Promise<string[]>;
  /**
   * Names what is installed in the project, and small files that no tree holds (content and times of every file), and keeps
   * the list under that name.
   */
  installed(): Promise<string>;
  /**
   * Paths of installed files that are new, gone or different since `installed` gave that name, from the top of the project,
   * without the caches of tools. Throws `invalid_input` for a name that is not kept any more.
   */
  changedInstalled(name: string): Promise<string[]>;
  /**
   * A worktree on the new branch `ccw-loop/{id}`: at the user's HEAD commit, or with the files of a checkpoint on
   * top of it as uncommitted changes. Throws `invalid_input` without git or without a commit.
   */
  addWorktree(id: string, commit: string | null): Promise<Worktree>;
  /** Commits the worktree's files to its branch, without hooks; null when there is nothing new. `without` as for `tree`. */
  commitWorktree(id: string, message: string, without?: readonly string[]): Promise<string | null>;
  worktrees(): Promise<WorktreeUse[]>;
  /** Refuses with `invalid_input` while it holds uncommitted files, unless `force`; the branch stays unless it has nothing new. */
  removeWorktree(id: string, options: { force: boolean }): Promise<void>;
  /**
   * Keeps a checkpoint of another loop, with all that it continues, also as number `n` of loop `id`: it outlives the
   * other one. Throws `invalid_input` as `diff`.
   */
  adopt(id: string, n: number, commit: string): Promise<void>;
  /** Bytes of kept files of a loop's checkpoints cannot be told; their refs can be dropped. */
  forget(id: string): Promise<void>;
}
