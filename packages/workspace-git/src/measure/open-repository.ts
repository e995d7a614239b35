import { ObjectReader } from "../git/object-reader.ts";
import { objectFolders, type Repository } from "../git/repository.ts";
import { LONGEST_MS } from "../git/run.ts";
import { GitSessions } from "../git/session.ts";
import { Measure } from "./working-tree.ts";

/** A repository with what a workspace knows about it. */
export interface OpenRepository {
  repository: Repository;
  /** Where trees go that the repository is not to have. */
  objects: string;
  measure: Measure;
  sessions: GitSessions;
  /** Untracked files, as people see their paths, that count as if they were not there. */
  without?: ReadonlySet<string> | undefined;
}

/**
 * The repository with a folder for trees that it is not to have, which are found as well. `idleMs` is how long the processes
 * of git that are kept stay while nobody asks them.
 */
export function openRepository(
  repository: Repository,
  objects: string,
  idleMs?: number,
): OpenRepository {
  const { top, hash } = repository;
  const reader = new ObjectReader({ top, hash, env: objectFolders(repository, objects), idleMs });
  const opened = { ...repository, reader };
  const sessions = new GitSessions({ top, idleMs, patienceMs: LONGEST_MS });
  return { repository: opened, objects, sessions, measure: new Measure(opened, objects) };
}
