/** A loop whose files tests damage, and what has to be true of it afterwards. */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  isLoopError,
  LoopState,
  type LoopStore,
  type Recovery,
  renderProgress,
  renderTaskLines,
  tryParseJson,
} from "@ccw-loop/core";
import { expect } from "vitest";
import type { StoreDeps } from "../src/fs-store.ts";
import type { Damage } from "./damages.ts";
import { testStore } from "./faults.ts";
import {
  AT,
  BY,
  developed,
  eventsOf,
  initialized,
  loopFile,
  newLoop,
  noted,
  readJson,
  started,
  taskAdded,
} from "./loops.ts";

export const NEWEST = 6;

/** How the commits of a loop are written. */
export type Form = Pick<StoreDeps, "wholeBelow">;

/** Makes a loop at revision 6 with a lease, logs and a kept object; answers with its state. */
export async function prepare(root: string, form: Form = {}): Promise<LoopState> {
  const store = testStore(root, form);
  await store.create(newLoop("a", { description: "What was asked for" }), BY);
  await store.append("a", 1, [started, initialized("task-1", "task-2")], BY);
  await store.append("a", 2, [developed("task-1", "Done.", "a.ts")], BY);
  await store.append("a", 3, [noted("n"), taskAdded("task-3")], BY);
  const { epoch } = await store.claim("a", "gone", 60_000);
  await store.append("a", 4, [noted("m")], { ...BY, epoch });
  const { state } = await store.append("a", 5, [noted("newest")], BY);
  await store.appendLog("a", [{ n: 1 }, { n: 2 }]);
  await store.close();
  cpSync(loopFile(root, "a.progress/agent.log"), loopFile(root, "a.progress/agent.log.1"));
  mkdirSync(loopFile(root, ".objects/ab"), { recursive: true });
  cpSync(loopFile(root, "a.json"), loopFile(root, ".objects/ab/cdef"));
  return state;
}

/** Copies a prepared project, with the times of its files. */
export function copyProject(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
}

/** A store for which the lease of the prepared loop ran out; what it tells goes into `told`. */
export function openLater(
  root: string,
  told: string[],
  ground: Partial<StoreDeps> = {},
): LoopStore {
  const bootClockMs = () => Number(process.hrtime.bigint() / 1_000_000n) + 120_000;
  // Nobody is still writing these files: what is half there stays so.
  const runtime = { bootClockMs, elapsed: () => 100 * performance.now() };
  return testStore(root, { runtime, warn: (_, message) => told.push(message), ...ground });
}

/** Every file and link below a folder with its bytes, by its path. */
function bytesBelow(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(folder, name)).filter((path) => lstatSync(path).isFile());
  return new Map(files.map((path) => [path, readFileSync(path)]));
}

/** Reads the loop, after a recovery when its refusal names that. */
export async function readOrRecover(
  root: string,
  store: LoopStore,
  told: string[],
): Promise<LoopState> {
  try {
    const { state } = await store.read("a");
    await eventsOf(store, "a");
    return state;
  } catch (error) {
    if (!isLoopError(error)) throw error;
    expect(error.message).toContain("ccw-loop recover a");
    told.push(error.message);
    const untouched = bytesBelow(loopFile(root, ""));
    const plan = await store.recover("a", { dryRun: true, at: AT });
    expect(bytesBelow(loopFile(root, ""))).toEqual(untouched);
    told.push(...(await recovered(store, plan)).notes);
    return (await store.read("a")).state;
  }
}

async function recovered(store: LoopStore, plan?: Recovery): Promise<Recovery> {
  const recovery = await store.recover("a", { dryRun: false, at: AT });
  if (plan) expect(recovery).toMatchObject({ source: plan.source, unknown: plan.unknown });
  return recovery;
}

/** The state without what differs whenever it is committed again. */
function content({ revision, etag, updated_at, ...rest }: LoopState) {
  return rest;
}

/** A bit that flips in a document may make it another valid one: then it is an edit like any other. */
export async function expectSame(
  store: LoopStore,
  state: LoopState,
  before: LoopState,
): Promise<void> {
  const edited = (await eventsOf(store, "a")).some(({ actor }) => actor === "external");
  if (!edited) expect(content(state)).toEqual(content(before));
  else expect(state).toMatchObject({ loop_id: "a", created_at: AT });
}

export async function driveOn(store: LoopStore): Promise<void> {
  const { epoch } = await store.claim("a", "next", 1000);
  const { revision } = await store.read("a");
  await store.append("a", revision, [noted("driven on")], { ...BY, epoch });
}

/** Everything is published, and every event is told or named as lost. */
export async function expectWhole(root: string, told: string[]): Promise<void> {
  const store = openLater(root, told);
  told.push(...(await recovered(store)).notes);
  const { state, revision } = await store.read("a");
  expect(state.notes).toBe("driven on");
  expect(readJson(loopFile(root, "a.json"))).toEqual(state);
  expect(readFileSync(loopFile(root, "a.tasks.jsonl"), "utf8")).toBe(renderTaskLines(state));
  for (const [name, text] of Object.entries(renderProgress(state))) {
    expect(readFileSync(loopFile(root, `a.progress/${name}`), "utf8")).toBe(text);
  }
  const revisions = new Set((await eventsOf(store, "a")).map((one) => one.revision));
  const named = told.join("\n");
  for (let one = 1; one <= revision; one++) {
    if (!revisions.has(one)) expect(named).toMatch(new RegExp(`evisions? .*\\b${one}\\b`));
  }
  const log = await Array.fromAsync(store.readLog("a"));
  expect(log.length).toBeLessThanOrEqual(5);
  await store.close();
}

/** What was damaged is somewhere still, or was only cut off from what is there now. */
export function expectKept(
  root: string,
  damaged: ReadonlyMap<string, Buffer | "folder" | "link">,
): void {
  const now = bytesBelow(loopFile(root, ""));
  for (const [path, was] of damaged) {
    if (was === "folder" || was === "link") {
      const places = [path, `${path}.damaged`, `${path}.damaged-0`].filter((one) =>
        existsSync(one),
      );
      const kinds = places.map((one) => lstatSync(one));
      expect(kinds.some((kind) => kind.isDirectory() || kind.isSymbolicLink())).toBe(true);
    } else {
      const gone = was.subarray(commonLength(now.get(path), was));
      const kept = gone.length === 0 || [...now.values()].some((bytes) => bytes.includes(gone));
      expect([path, kept || isEdit(path, was)]).toEqual([path, true]);
    }
  }
}

function commonLength(a: Buffer = Buffer.alloc(0), b: Buffer): number {
  let length = 0;
  while (length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/** A state file that is still one: what differs is in an event, or was of no meaning. */
function isEdit(path: string, bytes: Buffer): boolean {
  return path.endsWith("a.json") && LoopState.safeParse(tryParseJson(String(bytes))).success;
}

export function damageAll(root: string, names: readonly string[], damage: Damage) {
  const damaged = new Map<string, Buffer | "folder" | "link">();
  for (const path of names.map((name) => loopFile(root, name))) {
    damage(path);
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info?.isDirectory()) damaged.set(path, "folder");
    else if (info?.isSymbolicLink()) damaged.set(path, "link");
    else if (info && info.size > 0) damaged.set(path, readFileSync(path));
  }
  return damaged;
}
