import { EventEmitter, on } from "node:events";
import {
  evolve,
  type Lease,
  LoopError,
  LoopEvent,
  LoopState,
  type LoopStore,
  leaseLost,
  listedOf,
  newestFirst,
  opName,
  pageOf,
  parseLoopId,
  type RecordedEvent,
  requireAtRest,
  requireLeaseMs,
  requireSameOp,
  revisionConflict,
  SCHEMA_VERSION,
  type StoredLoop,
} from "@ccw-loop/core";

interface Commit {
  opId: string | undefined;
  actor: string;
  events: LoopEvent[];
  stored: StoredLoop;
}

interface Loop {
  /** Never empty. The number of commits is the revision. */
  commits: Commit[];
  /** Counts claims; `lease` is the newest of them until it is given back. */
  epoch: number;
  lease: { owner: string; until: number; renewedAt: string } | null;
  log: unknown[];
}

/**
 * The reference implementation of `LoopStore`: the whole contract, nothing kept beyond the process. Nothing happens
 * between the look at a map and its change, so every method decides and writes at once. `monotonic` (milliseconds)
 * decides when leases expire.
 */
export function memoryStore({
  monotonic = () => performance.now(),
}: {
  monotonic?: () => number;
} = {}): LoopStore {
  const loops = new Map<string, Loop>();
  const changes = new EventEmitter().setMaxListeners(0);

  function find(id: string): Loop {
    const loop = loops.get(parseLoopId(id));
    if (!loop) throw new LoopError("loop_not_found", `Loop not found: ${id}`);
    return loop;
  }

  function commit(id: string, loop: Loop, commit: Omit<Commit, "stored">, state: LoopState) {
    const revision = loop.commits.length + 1;
    const stored = { revision, state: { ...state, schema_version: SCHEMA_VERSION, revision } };
    loop.commits.push({ ...commit, stored });
    changes.emit("loop", id);
    return structuredClone(stored);
  }

  function repeated(loop: Loop | undefined, opId: string | undefined): StoredLoop | undefined {
    if (opId === undefined) return undefined;
    const named = loop?.commits.find((c) => opName(c.opId ?? "") === opName(opId));
    if (named?.opId !== undefined) requireSameOp(named.opId, opId);
    return structuredClone(named?.stored);
  }

  function living(loop: Loop): string | null {
    return loop.lease && monotonic() < loop.lease.until ? loop.lease.owner : null;
  }

  function leased(owner: string, ttlMs: number): Loop["lease"] {
    return { owner, until: monotonic() + ttlMs, renewedAt: new Date().toISOString() };
  }

  function held(lease: Lease): Loop {
    const loop = find(lease.id);
    if (loop.epoch === lease.epoch && loop.lease?.owner === lease.owner) return loop;
    throw leaseLost(lease.id, lease.epoch);
  }

  return {
    async create(state, { actor, opId }) {
      const id = parseLoopId(state.loop_id);
      const before = repeated(loops.get(id), opId);
      if (before) return before;
      if (loops.has(id)) throw new LoopError("loop_exists", `Loop ${id} exists already.`);
      const event = valid({ type: "loop.created", at: state.created_at, loop: state });
      const loop: Loop = { commits: [], epoch: 0, lease: null, log: [] };
      loops.set(id, loop);
      return commit(id, loop, { opId, actor, events: [event] }, evolve(undefined, event));
    },
    async read(id) {
      return structuredClone(newest(find(id)));
    },
    async restore({ state, events, log }) {
      const id = parseLoopId(state.loop_id);
      if (loops.has(id)) throw new LoopError("loop_exists", `Loop ${id} exists already.`);
      const { revision = 1 } = state;
      const stored = { revision, state: { ...LoopState.parse(state), revision } };
      const all = events.map((one) => ({ ...one, event: valid(one.event) }));
      const commits = Array.from({ length: revision }, (_, before) => {
        const own = all.filter((one) => one.revision === before + 1);
        const by = {
          opId: undefined,
          actor: own[0]?.actor ?? "",
          events: own.map((one) => one.event),
        };
        return { ...by, stored: { ...stored, revision: before + 1 } };
      });
      loops.set(id, { commits, epoch: 0, lease: null, log: structuredClone([...log]) });
      changes.emit("loop", id);
      return structuredClone(stored);
    },
    async append(id, revision, events, { actor, opId, epoch }) {
      const loop = find(id);
      const before = repeated(loop, opId);
      if (before) return before;
      if (epoch !== undefined && epoch !== loop.epoch) throw leaseLost(id, epoch);
      requireNewest(id, loop, revision);
      if (events.length === 0) return structuredClone(newest(loop));
      const facts = events.map(valid);
      const state = facts.reduce<LoopState>(evolve, newest(loop).state);
      return commit(id, loop, { opId, actor, events: facts }, LoopState.parse(state));
    },
    async operation(id, opId) {
      return repeated(find(id), opId) ?? null;
    },
    async list(query = {}) {
      const all = [...loops.values()].map(newest);
      const listed = all.map((loop) => ({ ...listedOf(loop.state), loop })).sort(newestFirst);
      const { page, total } = pageOf(listed, query);
      return { loops: structuredClone(page.map(({ loop }) => loop)), total, damaged: [] };
    },
    async *events(id, after = 0) {
      for (const { actor, events, stored } of find(id).commits.slice(after)) {
        for (const event of events) {
          yield structuredClone<RecordedEvent>({ revision: stored.revision, actor, event });
        }
      }
    },
    watch(id, signal) {
      if (id !== undefined) parseLoopId(id);
      return changedNames(changes, "loop", signal, (name) => id === undefined || name === id);
    },
    async claim(id, owner, ttlMs) {
      requireLeaseMs(ttlMs);
      const loop = find(id);
      const holder = living(loop);
      if (holder !== null) {
        throw new LoopError("loop_busy", `Loop ${id} is being driven by ${holder}.`, {
          details: { owner: holder },
        });
      }
      loop.epoch += 1;
      loop.lease = leased(owner, ttlMs);
      return { id, owner, epoch: loop.epoch, ttlMs };
    },
    async renew(lease) {
      held(lease).lease = leased(lease.owner, lease.ttlMs);
    },
    async release(lease) {
      const loop = loops.get(parseLoopId(lease.id));
      if (loop?.epoch === lease.epoch) loop.lease = null;
    },
    async ownerOf(id) {
      return living(find(id));
    },
    async leaseOf(id) {
      const loop = find(id);
      if (!loop.lease) return null;
      const { owner, renewedAt, until } = loop.lease;
      const left_ms = Math.max(0, Math.ceil(until - monotonic()));
      return { owner, epoch: loop.epoch, living: left_ms > 0, left_ms, renewed_at: renewedAt };
    },
    async remove(id, { revision } = {}) {
      const loop = find(id);
      requireNewest(id, loop, revision);
      requireAtRest(newest(loop).state, "delete");
      loops.delete(id);
      changes.emit("loop", id);
    },
    async appendLog(id, records) {
      find(id).log.push(...structuredClone(records));
      changes.emit("log", id);
    },
    async *readLog(id, { after = 0, follow } = {}) {
      const { log } = find(id);
      const more = follow && changedNames(changes, "log", follow, (name) => name === id);
      let at = Math.min(after, log.length);
      const next = () => ({ record: structuredClone(log[at]), seq: ++at });
      while (at < log.length) yield next();
      for await (const _ of more ?? []) while (at < log.length) yield next();
    },
    progressDir: (id) => `memory:${parseLoopId(id)}.progress`,
    async recover(id, { revision }) {
      const loop = find(id);
      requireNewest(id, loop, revision);
      const { state } = structuredClone(newest(loop));
      return { source: "journal", state, unknown: [], notes: [] };
    },
    close: async () => void changes.emit("closed"),
  };
}

/** The names that change from this call on, whenever they are read, until `signal` aborts or the store is closed. */
function changedNames(
  changes: EventEmitter,
  kind: "loop" | "log",
  signal: AbortSignal,
  isWanted: (name: string) => boolean,
): AsyncIterable<string> {
  const changed = signal.aborted ? [] : on(changes, kind, { signal, close: ["closed"] });
  return (async function* () {
    try {
      for await (const [name] of changed) if (isWanted(name)) yield name;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  })();
}

function newest(loop: Loop): StoredLoop {
  const last = loop.commits.at(-1);
  if (!last) throw new TypeError("A stored loop has a commit.");
  return last.stored;
}

function valid(event: LoopEvent): LoopEvent {
  const parsed = LoopEvent.safeParse(structuredClone(event));
  if (parsed.success) return parsed.data;
  throw new LoopError("invalid_input", `A ${event.type} event is malformed.`, {
    cause: parsed.error,
  });
}

function requireNewest(id: string, { commits }: Loop, revision = commits.length): void {
  if (revision !== commits.length) throw revisionConflict(id, revision, commits.length);
}
