import { ROOT } from "../world/sim-machine.ts";
import type { World } from "../world/world.ts";

/** Another program writes the published document: in place, or by a file that it renames over it. */
export function writeForeign(world: World, id: string): void {
  const { random, files } = world;
  const path = `${ROOT}/.workflow/.loop/${id}.json`;
  const node = files.file(path);
  if (!node) return;
  const how = random.weighted({ notes: 5, field: 3, status: 1, rubbish: 1 });
  const bytes = how === "rubbish" ? Buffer.from("{ not json") : edited(node.bytes, how);
  if (!bytes) return;
  if (how === "status") world.ledger.stops.unsure(id);
  if (how === "rubbish") world.readers.spoiled(id);
  world.trace.note(`foreign ${how} of ${id}`);
  if (random.chance(0.5)) {
    files.overwrite(node, bytes);
    const { folder, name } = files.folderOf(path);
    files.onName(folder, name);
    return;
  }
  const draft = `${path}.sponge`;
  // A power cut may have taken the rename of an earlier one and left its draft.
  if (files.file(draft)) files.remove(draft);
  files.create(draft, bytes);
  files.rename(draft, path);

  function edited(text: Buffer, kind: "notes" | "field" | "status"): Buffer | null {
    try {
      const state = JSON.parse(text.toString("utf8"));
      const changes = {
        notes: { notes: `by hand ${random.int(1, 1000)}` },
        field: { their_field: random.int(1, 1000) },
        status: { status: random.pick(["paused", "running"]) },
      }[kind];
      return Buffer.from(`${JSON.stringify({ ...state, ...changes }, null, 4)}\n`);
    } catch {
      // It is torn: nobody edits what cannot be read.
      return null;
    }
  }
}
