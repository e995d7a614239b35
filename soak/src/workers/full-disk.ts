import { join } from "node:path";
import { foreignReader } from "../files/foreign-reader.ts";
import { Ledger } from "../files/ledger.ts";
import { journalOf } from "../files/recorded.ts";
import { commandLineOnAFullDisk } from "../full-disk/command-line.ts";
import { commandsOnAFullDisk } from "../full-disk/commands.ts";
import { drivenIntoAFullDisk } from "../full-disk/driven.ts";
import { filler } from "../full-disk/filler.ts";
import type { SmallDisk } from "../full-disk/small-disk.ts";
import { composed } from "./composition.ts";
import { toldStore } from "./telling-store.ts";
import { type Told, tellParent } from "./told.ts";

export interface FullDiskTask {
  root: string;
  /** The program of the command line. */
  cli: string;
  /** Of 4 KB each, when a command is tried. */
  pagesLeft: readonly number[];
  /** Before which commits of a run the disk is filled, the first being 1. */
  commits: readonly number[];
}

/** In a project whose `.workflow` is a small file system: everything that may meet a full disk. */
export async function meetAFullDisk({
  root,
  cli,
  pagesLeft,
  commits,
}: FullDiskTask): Promise<void> {
  const ledger = new Ledger();
  const problems: string[] = [];
  const listeners = new Set<() => void>();
  const tell = (told: Told) => {
    if (told.kind === "commit") ledger.add(told);
    if (told.kind === "mark" && told.mark === "commit")
      for (const listener of listeners) listener();
  };
  const store = toldStore(root, tell);
  const service = composed({ root, store, leaseTtlMs: 15_000, tell });
  const disk: SmallDisk = {
    ...{ root, store, service },
    filler: filler(join(root, ".workflow")),
    onCommit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tried: { done: 0, refused: { commands: 0, "driven loop": 0, "command line": 0 } },
    note: (problem) => void problems.push(problem),
  };
  await commandsOnAFullDisk(disk, pagesLeft);
  await drivenIntoAFullDisk(disk, commits);
  await commandLineOnAFullDisk(disk, cli);
  for (const id of ledger.loops) await store.read(id);
  await store.close();
  const folder = join(root, ".workflow", ".loop");
  for (const id of ledger.loops) ledger.lookFor(id, journalOf(folder, id));
  problems.push(...foreignReader().read(folder).problems);
  const { count: acknowledged, lost } = ledger;
  tellParent({ kind: "full-disk", acknowledged, lost: [...lost], ...disk.tried, problems });
}
