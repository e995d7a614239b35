/** A loop whose files tests take away, and how it is recovered. */
import { rmSync } from "node:fs";
import type { LoopState, LoopStore } from "@ccw-loop/core";
import { expect } from "vitest";
import { fsStore } from "../src/index.ts";
import {
  BY,
  developed,
  eventsOf,
  filesBelow,
  initialized,
  loopFile,
  newLoop,
  noted,
  readJson,
  started,
  taskAdded,
} from "./loops.ts";
import { makeProject } from "./project.ts";

export const LATER = "2026-01-23T00:00:00.000Z";

/** A loop at revision 4 with history, journal, documents and tasks, and the state it had. */
export async function begin(): Promise<{ root: string; before: LoopState }> {
  const root = makeProject();
  const store = fsStore({ root });
  await store.create(newLoop("a", { description: "What was asked for" }), BY);
  await store.append("a", 1, [started, initialized("task-1", "task-2")], BY);
  await store.append("a", 2, [developed("task-1", "Done `so`.", "a.ts")], BY);
  const { state } = await store.append("a", 3, [noted("n"), taskAdded("task-3")], BY);
  await store.close();
  return { root, before: state };
}

export async function withStore<T>(
  root: string,
  work: (store: LoopStore) => Promise<T>,
): Promise<T> {
  const store = fsStore({ root });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Recovers twice, first only asking; the files must not change before the second time. */
export async function recoverAfterAsking(root: string) {
  return withStore(root, async (store) => {
    const untouched = filesBelow(root);
    const plan = await store.recover("a", { dryRun: true, at: LATER });
    expect(filesBelow(root)).toEqual(untouched);
    const recovery = await store.recover("a", { dryRun: false, at: LATER });
    expect(recovery).toMatchObject({ source: plan.source, unknown: plan.unknown });
    const { state } = await store.read("a");
    expect(recovery.state).toEqual(state);
    expect(readJson(loopFile(root, "a.json"))).toEqual(state);
    const { etag, revision, updated_at, ...told } = plan.state;
    expect(state).toMatchObject(told);
    return { ...recovery, events: await eventsOf(store, "a") };
  });
}

export const remove = (root: string, ...names: string[]) => {
  for (const name of names) rmSync(loopFile(root, name), { recursive: true });
};
export const same = ({ revision: _, etag: __, ...rest }: LoopState) => rest;
