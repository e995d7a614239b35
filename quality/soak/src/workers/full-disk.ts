import { join } from "node:path";
import { foreignReader } from "../files/foreign-reader.ts";
import { Ledger } from "../files/ledger.ts";
import { journalOf } from "../files/recorded.ts";
import { filler, type SmallDisk } from "../full-disk/small-disk.ts";
import {
  commandLineOnAFullDisk,
  commandsOnAFullDisk,
  drivenIntoAFullDisk,
} from "../full-disk/steps.ts";
import { composed, reportingStore } from "./composition.ts";
import { sendToParent, type WorkerMessage } from "./messages.ts";

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
  const send = (message: WorkerMessage) => {
    if (message.kind === "commit") ledger.add(message);
    if (message.kind === "mark" && message.mark === "commit")
      for (const listener of listeners) listener();
  };
  const store = reportingStore(root, send);
  const service = composed({ root, store, leaseTtlMs: 15_000, send });
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
  sendToParent({ kind: "full-disk", acknowledged, lost: [...lost], ...disk.tried, problems });
}
