import { existsSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Containment } from "./mounts.ts";

/** Folders that were made to be hidden, by how many need them: one that is removed is hidden in no sandbox any more. */
const held = new Map<string, number>();

/**
 * Keeps the empty folders that bubblewrap makes in a project for what is hidden there; to be called before it does. Answers
 * what gives them up: the last one who needs them takes them away.
 */
export function holdPlaces({ cwd, hidden }: Containment): () => Promise<void> {
  const ours = hidden.filter(
    (place) => dirname(place) === cwd && (held.has(place) || !existsSync(place)),
  );
  for (const place of ours) held.set(place, (held.get(place) ?? 0) + 1);
  return async () => {
    for (const place of ours.splice(0)) {
      const others = (held.get(place) ?? 1) - 1;
      if (others > 0) held.set(place, others);
      else {
        held.delete(place);
        // Somebody made a repository of it, or it is gone already.
        await rmdir(place).catch(() => undefined);
      }
    }
  };
}
