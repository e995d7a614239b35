import { LoopState, type RecordedEvent } from "@ccw-loop/core";
import { hasOwnEtag } from "../../../../packages/store-fs/src/commit/etag.ts";
import { ROOT } from "../world/sim-machine.ts";
import type { World } from "../world/world.ts";
import { replayed } from "./history.ts";

/** Judges one loop after everything is healed and nobody writes any more. */
export async function judge(world: World, id: string): Promise<void> {
  const { store, process } = world.spawn("judge");
  const stored = await store.read(id).catch((error: unknown) => String(error));
  if (typeof stored === "string") return world.violate(3, `${id}: it cannot be read: ${stored}`);
  const { state } = stored;
  const events = await Array.fromAsync(store.events(id));
  await store.close();
  process.alive = false;
  countEnds(world, events);
  judgeAcknowledged(world, id, events);
  const again = replayed(events);
  for (const { promise, why } of again.wrong) world.violate(promise, `${id}: ${why}`);
  if (isOther(again.state, state)) {
    world.violate(5, `${id}: the journal makes another state than the store tells`);
  }
  judgeDocument(world, id, state);
  judgeBounds(world, state);
  judgeFeeds(world, id, events);
}

function judgeAcknowledged(world: World, id: string, events: readonly RecordedEvent[]): void {
  const { ledger } = world;
  const kept = Map.groupBy(events, ({ revision }) => revision);
  const last = events.at(-1)?.revision ?? 0;
  const missing = Array.from({ length: last }, (_, n) => n + 1).filter((n) => !kept.has(n));
  if (missing.length > 0) world.violate(3, `${id}: revisions ${missing.join(", ")} are gone`);
  for (const told of ledger.acknowledged.filter((one) => one.id === id)) {
    const found = kept.get(told.revision)?.map(({ event }) => event.type);
    const wanted = told.events.map(({ type }) => type);
    if (found?.join() === wanted.join()) continue;
    world.violate(
      3,
      `${id}: revision ${told.revision} (${wanted.join(" ")}) was acknowledged and is ${found ? `now ${found.join(" ")}` : "gone"}`,
    );
  }
  const notes = events.flatMap(({ event }) =>
    event.type === "loop.edited" ? [event.changes.notes] : [],
  );
  for (const [note, many] of Map.groupBy(notes, (one) => one)) {
    if (note?.startsWith("insisted") && many.length > 1) {
      world.violate(3, `${id}: what was asked for once as ${note} happened ${many.length} times`);
    }
  }
}

function judgeDocument(world: World, id: string, stored: LoopState): void {
  const text = world.files.file(`${ROOT}/.workflow/.loop/${id}.json`)?.bytes.toString("utf8");
  const raw: unknown = JSON.parse(text ?? "null");
  if (!LoopState.safeParse(raw).success || !hasOwnEtag(raw)) {
    world.violate(6, `${id}: the published document is not whole`);
  } else if (JSON.stringify(raw) !== JSON.stringify(stored)) {
    world.violate(5, `${id}: the published document is another than the store tells`);
  }
}

function judgeBounds(world: World, state: LoopState): void {
  const { loop_id: id, status, waiting, current_iteration } = state;
  const bounds = world.bounds.get(id) ?? { iterations: 0, turns: 0 };
  if (status === "running" && !waiting) world.violate(4, `${id}: it neither ends nor waits`);
  if (current_iteration > bounds.iterations) {
    world.violate(4, `${id}: ${current_iteration} iterations of ${bounds.iterations}`);
  }
  const turns = world.children.all.filter(
    ({ kind, scope, owner }) => kind === "turn" && scope.loop === id && owner.isReliable,
  ).length;
  if (turns > bounds.turns) world.violate(4, `${id}: ${turns} turns of ${bounds.turns}`);
}

/** Whoever drove a loop was told every event once and in order; a `run` hears all of them from its first on. */
function judgeFeeds(world: World, id: string, events: readonly RecordedEvent[]): void {
  const lines = events.map(({ revision, event }) => `${revision} ${event.type}`);
  for (const { process, told } of world.feeds.all) {
    // What was not safe yet may have been told before a power cut took it.
    if (process.boot !== world.boot) continue;
    let next = 0;
    for (const [n, line] of (told.get(id) ?? []).entries()) {
      const at = lines.indexOf(line, next);
      const skipped = n > 0 && at > next && process.name.startsWith("run");
      if (at < 0 || skipped) {
        world.violate(
          5,
          `${id}: ${process.name} was told ${line} ${at < 0 ? "out of turn" : "after a gap"}`,
        );
        break;
      }
      next = at + 1;
    }
  }
}

function isOther(one: LoopState, other: LoopState): boolean {
  const plain = ({ etag: _, revision: _r, schema_version: _s, ...rest }: LoopState) =>
    JSON.stringify(sorted(rest));
  return plain(one) !== plain(other);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

/** What the journal tells of that the run has to have seen. */
function countEnds(world: World, events: readonly RecordedEvent[]): void {
  for (const { event } of events) {
    if (event.type === "loop.completed") world.count("loop completed");
    if (event.type === "external.edited") world.count("foreign edit taken in");
    if (event.type !== "loop.failed") continue;
    if (event.outcome.code === "max_iterations") world.count("bound of iterations reached");
    if (event.outcome.code === "max_turns") world.count("bound of turns reached");
  }
}
