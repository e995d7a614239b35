import { type LiveEvent, LoopState } from "@ccw-loop/core";
import { ROOT, type SimMachine } from "../world/sim-machine.ts";
import type { SimProcess } from "../world/sim-process.ts";

/** Other programs that read the published documents at any moment: each is whole JSON that fits the schema. */
export class Readers {
  readonly #world: SimMachine;
  /** Documents that are not ours to answer for: torn by a power cut, or overwritten, until the store wrote again. */
  readonly #spoiled = new Map<string, unknown>();

  constructor(world: SimMachine) {
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
      this.#world.violate(6, `${id}: the published document breaks the schema`);
    } catch {
      this.#world.violate(6, `${id}: the published document is no JSON`);
    }
  }
}

/** What drivers and watchers were told of the journal: every event once, in order. */
export class Feeds {
  readonly #world: SimMachine;
  readonly all: { process: SimProcess; told: Map<string, string[]>; last: Map<string, number> }[] =
    [];

  constructor(world: SimMachine) {
    this.#world = world;
  }

  begin(process: SimProcess): (live: LiveEvent) => void {
    const told = new Map<string, string[]>();
    const last = new Map<string, number>();
    this.all.push({ process, told, last });
    return (live) => {
      if (live.kind !== "recorded") return;
      const { id, recorded } = live;
      if (recorded.revision < (last.get(id) ?? 0)) {
        this.#world.violate(
          5,
          `${id}: ${process.name} was told revision ${recorded.revision} after ${last.get(id)}`,
        );
      }
      last.set(id, recorded.revision);
      const lines = told.get(id) ?? [];
      told.set(id, lines);
      lines.push(`${recorded.revision} ${recorded.event.type}`);
    };
  }
}
