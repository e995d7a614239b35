import type { LoopRepository } from "../state/repository.ts";
import type { Workspace, Worktree } from "./workspace.ts";

/** Checkpoints of a loop that goes on elsewhere. */
export interface CloneFrom {
  /** The first: the clone has its files. */
  start: string;
  /** The newest: the branch stands where the loop's HEAD was then. */
  newest: string;
}

/** A loop's clone on this machine. */
export interface LoopClone {
  id: string;
  repository: LoopRepository;
  /** Where the loop works in it. */
  path: string;
}

/**
 * Repositories that loops bring with them, and their clones on this machine. What cannot be done throws
 * `repository_unavailable` where trying again may help (the server is away, and its like), and `repository_refused`
 * where a person has to do something: there is no such repository, no such ref, no permission, or a push is rejected.
 * Neither names a password.
 */
export interface Repositories {
  /** Names this machine, for people. */
  readonly machine: string;
  /**
   * Makes a clone for a loop, from what the server has now: at the repository's ref, or with the files of an earlier
   * checkpoint. Every clone has a folder that was never used before on any machine.
   */
  clone(id: string, repository: LoopRepository, from: CloneFrom | null): Promise<Worktree>;
  /** Whether it was made on this machine, and is still there. */
  isHere(clone: LoopClone): Promise<boolean>;
  /** Asks whether the server answers. */
  reach(repository: LoopRepository): Promise<void>;
  /**
   * The workspace of a clone. What it keeps travels: `checkpoint` and `commitWorktree` resolve when the server has
   * the commit, behind a ref of the loop that nobody has or will have again.
   */
  workspace(clone: LoopClone): Promise<Workspace>;
  /** Writes documents of a loop where its agent reads them; never through a link. Answers with their folder. */
  publish(clone: LoopClone, documents: Readonly<Record<string, string>>): Promise<string>;
}
