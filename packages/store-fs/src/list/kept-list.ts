import { join } from "node:path";
import { LoopStatus, tryParseJson } from "@ccw-loop/core";
import { MAX_FILE_BYTES } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import { type StoreContext, settledFile } from "../context.ts";
import { type LoopPaths, temporary } from "../paths.ts";

/** What a list was made from, so that a process which begins need not read every loop. Nothing is lost with it. */
const NAME = ".list.json";

const KeptLoop = z.object({
  id: z.string(),
  /** The published document, and the folder of the history, as they were when it was read. */
  document: z.string(),
  history: z.string(),
  updated_at: z.string(),
  status: LoopStatus,
  tags: z.array(z.string()),
  words: z.string(),
});
export type KeptLoop = z.infer<typeof KeptLoop>;

const KeptList = z.object({ version: z.literal(1), loops: z.array(KeptLoop) });

/** The loops by id; none when nothing was kept, or when that cannot be read. */
export function readKeptList({ disk, project }: StoreContext): Map<string, KeptLoop> {
  try {
    const kept = KeptList.safeParse(tryParseJson(disk.read(join(project.loops, NAME))));
    return new Map(kept.data?.loops.map((loop) => [loop.id, loop]));
  } catch {
    return new Map();
  }
}

/** Keeps the loops for the next process. Where that cannot be done, it reads them again. */
export function writeKeptList({ disk, project }: StoreContext, loops: readonly KeptLoop[]): void {
  const text = JSON.stringify({ version: 1, loops });
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return;
  const draft = temporary(project.loops);
  try {
    disk.write(draft, text);
    disk.rename(draft, join(project.loops, NAME));
  } catch {
    disk.remove(draft);
  }
}

/** The files that tell whether a loop is what it was; null while a change of theirs could not be told. */
export function filesOf(
  context: StoreContext,
  { document, history }: LoopPaths,
): Pick<KeptLoop, "document" | "history"> | null {
  const { disk } = context;
  const files = [document, history].map((path) => settledFile(context, disk.info(path)));
  const [of, from] = files;
  return of && from ? { document: of, history: from } : null;
}
