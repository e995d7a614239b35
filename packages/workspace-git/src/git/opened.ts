import type { BlobNameCache, Repository } from "./repository.ts";

/** A repository with what a workspace knows about it. */
export interface OpenRepository {
  repository: Repository;
  /** Where trees go that the repository is not to have. */
  objects: string;
  names: BlobNameCache;
  /** Untracked files, as people see their paths, that count as if they were not there. */
  without?: ReadonlySet<string>;
}
