import { LoopState } from "../../../packages/core/src/index.ts";
import { ROOT, type World } from "../world/world.ts";

/** Other programs that read the published documents at any moment: each is whole JSON that fits the schema. */
export class Readers {
  readonly #world: World;
  /** Documents that are not ours to answer for: torn by a power cut, or overwritten, until the store wrote again. */
  readonly #spoiled = new Map<string, unknown>();

  constructor(world: World) {
    this.#world = world;
  }

  spoiled(id: string): void {
    this.#spoiled.set(id, null);
  }

  /** The power went: nothing was synced that could be made again. */
  spoilAll(): void {
    for (const id of this.#world.bounds.keys()) this.spoiled(id);
  }

  look(id: string): void {
    const file = this.#world.files.file(`${ROOT}/.workflow/.loop/${id}.json`);
    if (!file) return;
    const before = this.#spoiled.get(id);
    if (before === null) this.#spoiled.set(id, file.bytes);
    if (before === null || before === file.bytes) return;
    this.#spoiled.delete(id);
    try {
      const raw: unknown = JSON.parse(file.bytes.toString("utf8"));
      if (!this.#world.random.chance(0.2) || LoopState.safeParse(raw).success) return;
      this.#world.ledger.violate(6, `${id}: the published document breaks the schema`);
    } catch {
      this.#world.ledger.violate(6, `${id}: the published document is no JSON`);
    }
  }
}
