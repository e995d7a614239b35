import type { LiveEvent } from "../../../packages/core/src/index.ts";
import type { SimProcess } from "../world/sim-process.ts";
import type { Ledger } from "./ledger.ts";

/** What drivers and watchers were told of the journal: every event once, in order. */
export class Feeds {
  readonly #ledger: Ledger;
  readonly all: { process: SimProcess; told: Map<string, string[]>; last: Map<string, number> }[] =
    [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  begin(process: SimProcess): (live: LiveEvent) => void {
    const told = new Map<string, string[]>();
    const last = new Map<string, number>();
    this.all.push({ process, told, last });
    return (live) => {
      if (live.kind !== "recorded") return;
      const { id, recorded } = live;
      if (recorded.revision < (last.get(id) ?? 0)) {
        this.#ledger.violate(
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
