import { ObjectReader } from "../git/object-reader.ts";
import { objectFolders, type Repository } from "../git/repository.ts";
import { Measure } from "./working-tree.ts";

/** A repository with what a workspace knows about it. */
export interface OpenRepository {
  repository: Repository;
  /** Where trees go that the repository is not to have. */
  objects: string;
  measure: Measure;
  /** Untracked files, as people see their paths, that count as if they were not there. */
  without?: ReadonlySet<string> | undefined;
}

/**
 * The repository with a folder for trees that it is not to have, which are found as well. `idleMs` is how long the process
 * that reads objects is kept while nobody asks it.
 */
export function openRepository(
  repository: Repository,
  objects: string,
  idleMs?: number,
): OpenRepository {
  const { top, hash } = repository;
  const reader = new ObjectReader({ top, hash, env: objectFolders(repository, objects), idleMs });
  const opened = { ...repository, reader };
  return { repository: opened, objects, measure: new Measure(opened, objects) };
}
