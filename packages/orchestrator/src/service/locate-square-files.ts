import { randomUUID } from "node:crypto";
import {
  type FileChange,
  orOn,
  type ReceiptProblem,
  type Square,
  type Workspace,
} from "@ccw-loop/core";
import { changesBetween } from "../proof/changes.ts";
import type { StartAndPresent } from "../proof/rooms.ts";

/** The files at both ends of a square, as this workspace has them. */
export interface SquareFiles {
  ends: StartAndPresent;
  changes: FileChange[];
  /** What others changed while the loop worked. */
  outside: FileChange[];
  /** Drops what was kept only to look at it. */
  forget: () => Promise<void>;
}

interface Asked {
  loop: string;
  isThere: boolean;
}

/**
 * Where a repository has the start and the present: behind the loop's checkpoints where it has those, else the start in one
 * of its own commits, and the present in its folder. Other files than the tested ones are a problem, as is a start
 * that is not there.
 */
export async function locateSquareFiles(
  workspace: Workspace,
  square: Square,
  { loop, isThere }: Asked,
): Promise<SquareFiles | { problem: ReceiptProblem }> {
  const tree = isThere ? await workspace.tree() : square.present.tree;
  const start =
    (await kept(workspace, square.start.commit)) ?? (await workspace.commitOf(square.start.tree));
  if (tree !== square.present.tree) {
    const changes = await changesFromTested(workspace, square.present.tree, tree);
    // Of a repository that has neither end nothing is known, not even that it is the one.
    const problem =
      start === null && changes === null
        ? notHere(workspace, "The files of the start and the tested ones", loop)
        : otherFiles(changes ?? []);
    return { problem };
  }
  if (start === null) return { problem: notHere(workspace, "The files of the start", loop) };
  const present = await kept(workspace, square.present.commit);
  if (present === null && !isThere)
    return { problem: notHere(workspace, "The tested files", loop) };
  const made = present === null ? await temporaryCheckpoint(workspace, tree) : null;
  const commit = made?.commit ?? present ?? "";
  const forget = async () => made?.forget();
  const changes =
    (await changesBetween({ workspace }, square.start.tree, tree)) ??
    (await workspace.diff(start, commit)).files.map(({ path, kind }) => ({ path, kind }));
  const outside = new Set(square.outside);
  return {
    ends: { start: { commit: start, tree: square.start.tree }, present: { commit, tree } },
    changes: changes.filter(({ path }) => !outside.has(path)),
    outside: changes.filter(({ path }) => outside.has(path)),
    forget,
  };
}

/** Null where the tested files are not there any more to be compared. */
async function changesFromTested(
  workspace: Workspace,
  tested: string,
  there: string,
): Promise<FileChange[] | null> {
  // Looked for so that its tree can be compared with what lies there.
  await workspace.commitOf(tested);
  return changesBetween({ workspace }, tested, there);
}

export function problem(
  kind: ReceiptProblem["kind"],
  message: string,
  details: string[] = [],
): ReceiptProblem {
  return { kind, message, details };
}

function otherFiles(changes: readonly FileChange[]): ReceiptProblem {
  const details = changes.map(({ path, kind }) => `${kind}: ${path}`);
  return problem("tree", "The files are not those that were tested.", details);
}

function notHere({ kind }: Workspace, what: string, loop: string): ReceiptProblem {
  if (kind !== "git") {
    const message = `${what} are not kept in this folder, which is no git repository. Verify the receipt where loop ${loop} ran, or name the repository with --repo FOLDER.`;
    return problem("missing", message);
  }
  const refs = `'refs/ccw-loop/${loop}/*:refs/ccw-loop/${loop}/*'`;
  const message = `${what} are not in this repository. Where it is another one, name that with --repo FOLDER. Of a shallow clone fetch the rest (git fetch --unshallow; in a workflow fetch-depth: 0). Else push them from where the loop ran (git push REMOTE ${refs}), then fetch them here (git fetch REMOTE ${refs}).`;
  return problem("missing", message);
}

async function kept(workspace: Workspace, commit: string): Promise<string | null> {
  const paths = await orOn(workspace.paths(commit), ["invalid_input"], null);
  return paths && commit;
}

async function temporaryCheckpoint(
  workspace: Workspace,
  looked: string,
): Promise<{ commit: string; forget: () => Promise<void> }> {
  const id = `verify-${randomUUID()}`;
  const { commit } = await workspace.checkpoint(id, 0, "what lies in the folder", { looked });
  return { commit, forget: () => workspace.forget(id) };
}
