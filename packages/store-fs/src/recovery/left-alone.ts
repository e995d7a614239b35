import { basename, join } from "node:path";
import { LoopError, PROGRESS_FILES } from "@ccw-loop/core";
import type { StoreContext } from "../context.ts";
import type { LoopPaths } from "../paths.ts";

/** The refusal of a loop of which neither a state file nor a history is left; null when nothing at all is. */
export function leftoverError({ disk }: StoreContext, paths: LoopPaths): LoopError | null {
  const { id, journal, tasks, progress } = paths;
  const hasDocuments =
    disk.info(progress)?.kind === "folder" &&
    PROGRESS_FILES.some((name) => disk.info(join(progress, name)) !== null);
  const files = [journal, tasks].filter((path) => disk.info(path) !== null);
  const left = [...files, ...(hasDocuments ? [progress] : [])].map((path) => basename(path));
  if (left.length === 0) return null;
  return new LoopError(
    "loop_not_found",
    `The state file and the history of loop ${id} are gone; left: ${left.join(", ")}. See what can be saved with: ccw-loop recover ${id}`,
  );
}
