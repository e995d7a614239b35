/** A file that differs between two trees. */
export interface FileChange {
  path: string;
  kind: "added" | "modified" | "deleted";
}

/**
 * The files the agent works on. `tree` names their whole content (ignored files and our own `.workflow`
 * left out): equal content, equal name. The user's branch, index and stash stay untouched. Contract,
 * executable as `describeWorkspace` in `@ccw-loop/testkit`.
 */
export interface Workspace {
  /** `git`, or `files` where there is no repository. */
  readonly kind: string;
  tree(): Promise<string>;
  changes(from: string, to: string): Promise<FileChange[]>;
}
