import { join } from "node:path";
import type { LoopService, LoopStore } from "../../packages/core/src/index.ts";
import { fsStore } from "../../packages/store-fs/src/index.ts";
import { tooFew } from "../../quality/too-few.ts";
import { type Client, startClient } from "./client.ts";
import { foreignReader, keptAside } from "./files/foreign-reader.ts";
import { Ledger } from "./files/ledger.ts";
import { journalOf } from "./files/recorded.ts";
import { type Started, start } from "./start.ts";
import { removeFolder, temporaryFolder } from "./temporary.ts";
import { composed } from "./workers/composition.ts";
import { silent, type Told } from "./workers/told.ts";

/** A project on which several processes work, with a foreign reader beside them and everything written down. */
export interface Ground {
  program: string;
  root: string;
  /** Where the loops' files are. */
  folder: string;
  store: LoopStore;
  service: LoopService;
  ledger: Ledger;
  client(): Promise<Client>;
  /** A worker of another role; what it acknowledges is written down as well. */
  worker(role: string, task: unknown): Started;
  /** Calls back for everything that any worker tells from now on. */
  listen(listener: (told: Told) => void): void;
}

/** What the files said to others, meanwhile and in the end. */
export interface Judgement {
  acked: number;
  lost: string[];
  /** Readings of files that could not be parsed, or broke their schema. */
  torn: string[];
  /** Files that had to be kept aside, and what the store said that it repaired. */
  repairs: string[];
  reads: number;
  /** Why it proves nothing: what did not happen at all, a sentence each. */
  missing: string[];
}

/** Works on a new project in a temporary folder; then looks for everything that was acknowledged. */
export async function onGround<T>(
  program: string,
  work: (ground: Ground) => Promise<T>,
): Promise<{ result: T; judgement: Judgement }> {
  const root = temporaryFolder("soak");
  const folder = join(root, ".workflow", ".loop");
  const judgement: Judgement = { acked: 0, lost: [], torn: [], repairs: [], reads: 0, missing: [] };
  const store = fsStore({ root, onWarning: ({ message }) => judgement.repairs.push(message) });
  const service = composed({ root, store, leaseTtlMs: 15_000, tell: silent });
  const ledger = new Ledger();
  const listeners: ((told: Told) => void)[] = [];
  const hear = (told: Told) => {
    if (told.kind === "commit") ledger.add(told);
    if (told.kind === "warning") judgement.repairs.push(told.message);
    if (told.kind === "read") {
      judgement.reads += told.files;
      judgement.torn.push(...told.problems);
    }
    for (const listener of listeners) listener(told);
  };
  const clients: Client[] = [];
  const workers: Started[] = [];
  const roles = new Set<string>();
  const ground: Ground = {
    ...{ program, root, folder, store, service, ledger },
    async client() {
      const client = await startClient(program, root, hear);
      clients.push(client);
      return client;
    },
    worker(role, task) {
      roles.add(role);
      const worker = start({ program, role, task }, hear);
      workers.push(worker);
      return worker;
    },
    listen: (listener) => void listeners.push(listener),
  };
  const endAll = async () => {
    for (const { child } of workers) child.kill("SIGKILL");
    await Promise.all([
      ...clients.map((client) => client.kill()),
      ...workers.map(({ gone }) => gone),
    ]);
  };
  try {
    const result = await work(ground);
    await endAll();
    await judge(ground, judgement);
    const { acked, reads } = judgement;
    const needs = [
      { what: "commit acknowledged", count: acked },
      ...(roles.has("reader") ? [{ what: "file read by a foreign program", count: reads }] : []),
    ];
    judgement.missing = tooFew(needs, 1, "project");
    return { result, judgement };
  } finally {
    await endAll();
    await store.close();
    removeFolder(root);
  }
}

async function judge(ground: Ground, judgement: Judgement): Promise<void> {
  const { folder, store, ledger } = ground;
  for (const id of ledger.loops) await store.read(id);
  // Whatever a process did not live to publish is published now.
  await store.close();
  for (const id of ledger.loops) ledger.lookFor(id, journalOf(folder, id));
  judgement.acked += ledger.count;
  judgement.lost.push(...ledger.lost);
  judgement.torn.push(...foreignReader().read(folder).problems);
  judgement.repairs.push(...keptAside(folder));
}

/** Several judgements as one. */
export function together(judgements: readonly Judgement[]): Judgement {
  const sum = (key: "acked" | "reads") => judgements.reduce((all, one) => all + one[key], 0);
  return {
    acked: sum("acked"),
    reads: sum("reads"),
    lost: judgements.flatMap(({ lost }) => lost),
    torn: judgements.flatMap(({ torn }) => torn),
    repairs: judgements.flatMap(({ repairs }) => repairs),
    missing: judgements.flatMap(({ missing }) => missing),
  };
}
