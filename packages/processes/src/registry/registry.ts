import { thisProcess } from "../identity.ts";
import { runningProcesses } from "../table.ts";
import { Fences } from "./fences.ts";
import { GroupRecords } from "./records.ts";

/** What is kept on disk of the processes of one project. */
export interface Registry {
  records: GroupRecords;
  fences: Fences;
  /** Takes away what speaks of groups that are gone. */
  tidy(): void;
}

export function registryIn(folder: string): Registry {
  const records = new GroupRecords(folder);
  const fences = new Fences(folder);
  return {
    records,
    fences,
    tidy() {
      fences.tidy();
      const { boot, namespace } = thisProcess();
      // In this order: a group that is registered in between is left alone.
      const known = records.all();
      const living = new Set(runningProcesses().map(({ group }) => group));
      for (const record of known) {
        const { owner, group } = record;
        const isHere = owner.boot === boot && owner.namespace === namespace;
        if (owner.boot !== boot || (isHere && !living.has(group))) records.remove(record);
      }
    },
  };
}
