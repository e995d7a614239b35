import { join } from "node:path";
import type { LoopService, LoopStore } from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";
import { removeFolder, temporaryFolder } from "../../support/folders.ts";
import { unmetNeeds } from "../../support/runs.ts";
import { type Client, startClient } from "./client.ts";
import { foreignReader, keptAside } from "./files/foreign-reader.ts";
import { Ledger } from "./files/ledger.ts";
import { journalOf } from "./files/recorded.ts";
import { type Started, start } from "./processes.ts";
import { composed } from "./workers/composition.ts";
import { sendNothing, type WorkerMessage } from "./workers/messages.ts";

/** A project on which several processes work, with a foreign reader beside them and everything written down. */
export interface SoakProject {
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
  /** Calls back for every message of any worker from now on. */
  listen(listener: (message: WorkerMessage) => void): void;
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
export async function inSoakProject<T>(
  program: string,
  work: (project: SoakProject) => Promise<T>,
): Promise<{ result: T; judgement: Judgement }> {
  const root = temporaryFolder("soak");
  const folder = join(root, ".workflow", ".loop");
  const judgement: Judgement = { acked: 0, lost: [], torn: [], repairs: [], reads: 0, missing: [] };
  const store = fsStore({ root, onWarning: ({ message }) => judgement.repairs.push(message) });
  const service = composed({ root, store, leaseTtlMs: 15_000, send: sendNothing });
  const ledger = new Ledger();
  const listeners: ((message: WorkerMessage) => void)[] = [];
  const onMessage = (message: WorkerMessage) => {
    if (message.kind === "commit") ledger.add(message);
    if (message.kind === "warning") judgement.repairs.push(message.message);
    if (message.kind === "read") {
      judgement.reads += message.files;
      judgement.torn.push(...message.problems);
    }
    for (const listener of listeners) listener(message);
  };
  const clients: Client[] = [];
  const workers: Started[] = [];
  const roles = new Set<string>();
  const project: SoakProject = {
    ...{ program, root, folder, store, service, ledger },
    async client() {
      const client = await startClient(program, root, onMessage);
      clients.push(client);
      return client;
    },
    worker(role, task) {
      roles.add(role);
      const worker = start({ program, role, task }, onMessage);
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
    const result = await work(project);
    await endAll();
    await judge(project, judgement);
    const { acked, reads } = judgement;
    const needs = [
      { what: "commit acknowledged", count: acked },
      ...(roles.has("reader") ? [{ what: "file read by a foreign program", count: reads }] : []),
    ];
    judgement.missing = unmetNeeds(needs, 1, "project");
    return { result, judgement };
  } finally {
    await endAll();
    await store.close();
    removeFolder(root);
  }
}

async function judge(project: SoakProject, judgement: Judgement): Promise<void> {
  const { folder, store, ledger } = project;
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
export function mergeJudgements(judgements: readonly Judgement[]): Judgement {
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
