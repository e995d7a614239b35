import { EventEmitter, on } from "node:events";
import {
  evolve,
  type Lease,
  LoopError,
  LoopEvent,
  LoopState,
  type LoopStore,
  opName,
  pageOf,
  parseLoopId,
  requireAtRest,
  requireLeaseMs,
  requireSameOp,
  revisionConflict,
  SCHEMA_VERSION,
  type StoredLoop,
} from "@ccw-loop/core";

interface Commit {
  actor: string;
  opId: string | undefined;
  events: LoopEvent[];
  stored: StoredLoop;
}

interface Loop {
  /** Never empty. The number of commits is the revision. */
  commits: Commit[];
  /** Counts claims; `lease` is the newest of them until it is given back. */
  epoch: number;
  lease: { owner: string; until: number; renewed_at: string } | null;
  log: unknown[];
}

/** Nothing happens between the look at a map and its change, so every method decides and writes at once. */
export function memoryStore(): LoopStore {
  const loops = new Map<string, Loop>();
  const changes = new EventEmitter().setMaxListeners(0);

  function find(id: string): Loop {
    const loop = loops.get(parseLoopId(id));
    if (loop) return loop;
    throw new LoopError("loop_not_found", `Loop not found: ${id}`);
  }

  function commit(id: string, loop: Loop, made: Omit<Commit, "stored">, state: LoopState) {
    const revision = loop.commits.length + 1;
    const stored = { revision, state: { ...state, schema_version: SCHEMA_VERSION, revision } };
    loop.commits.push({ ...made, stored });
    changes.emit("loop", id);
    return structuredClone(stored);
  }

  function held({ id, epoch, owner }: Lease): Loop {
    const loop = find(id);
    if (loop.epoch === epoch && loop.lease?.owner === owner) return loop;
    throw fenced(id, epoch);
  }

  return {
    async create(state, { actor, opId }) {
      const id = parseLoopId(state.loop_id);
      const before = madeBy(loops.get(id), opId);
      if (before) return before;
      if (loops.has(id)) throw new LoopError("loop_exists", `Loop ${id} exists already.`);
      const event = checked({ type: "loop.created", at: state.created_at, loop: state });
      const loop: Loop = { commits: [], epoch: 0, lease: null, log: [] };
      loops.set(id, loop);
      return commit(id, loop, { actor, opId, events: [event] }, evolve(undefined, event));
    },
    read: async (id) => structuredClone(newest(find(id))),
    async append(id, revision, given, { actor, opId, epoch }) {
      const loop = find(id);
      const before = madeBy(loop, opId);
      if (before) return before;
      if (epoch !== undefined && epoch !== loop.epoch) throw fenced(id, epoch);
      requireNewest(id, loop, revision);
      const events = given.map(checked);
      if (events.length === 0) return structuredClone(newest(loop));
      const state = events.reduce<LoopState>(evolve, newest(loop).state);
      return commit(id, loop, { actor, opId, events }, LoopState.parse(state));
    },
    operation: async (id, opId) => madeBy(find(id), opId) ?? null,
    async list(query = {}) {
      const all = [...loops.values()].map(newest);
      const { page, total } = pageOf(all, ({ state }) => state, query);
      return { loops: structuredClone(page), total, damaged: [] };
    },
    async *events(id, after = 0) {
      for (const { actor, events, stored } of find(id).commits.slice(after)) {
        for (const event of events) yield { revision: stored.revision, actor, event };
      }
    },
    watch(id, signal) {
      if (id !== undefined) parseLoopId(id);
      return heard(changes, "loop", signal, (name) => id === undefined || name === id);
    },
    async claim(id, owner, ttlMs) {
      requireLeaseMs(ttlMs);
      const loop = find(id);
      if (isLiving(loop)) {
        const message = `Loop ${id} is being driven by ${loop.lease?.owner}.`;
        throw new LoopError("loop_busy", message, { details: { owner: loop.lease?.owner } });
      }
      loop.epoch += 1;
      loop.lease = leaseOf(owner, ttlMs);
      return { id, owner, epoch: loop.epoch, ttlMs };
    },
    async renew(lease) {
      held(lease).lease = leaseOf(lease.owner, lease.ttlMs);
    },
    async release({ id, epoch }) {
      const loop = loops.get(parseLoopId(id));
      if (loop?.epoch === epoch) loop.lease = null;
    },
    async ownerOf(id) {
      const loop = find(id);
      return isLiving(loop) ? (loop.lease?.owner ?? null) : null;
    },
    async leaseOf(id) {
      const loop = find(id);
      if (!loop.lease) return null;
      const { owner, renewed_at } = loop.lease;
      return { owner, epoch: loop.epoch, renewed_at, living: isLiving(loop) };
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
      const more = follow && heard(changes, "log", follow, (name) => name === id);
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

/** The names that are told from now on, whenever they are read, until `signal` aborts or the store is closed. */
function heard(
  changes: EventEmitter,
  kind: "loop" | "log",
  signal: AbortSignal,
  isWanted: (name: string) => boolean,
): AsyncIterable<string> {
  const told = signal.aborted ? [] : on(changes, kind, { signal, close: ["closed"] });
  return (async function* () {
    try {
      for await (const [name] of told) if (isWanted(name)) yield name;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  })();
}

function newest({ commits }: Loop): StoredLoop {
  const last = commits.at(-1);
  if (last) return last.stored;
  throw new TypeError("A stored loop has a commit.");
}

/** What an op id made: a retry answers with the first commit. */
function madeBy(loop: Loop | undefined, opId: string | undefined): StoredLoop | undefined {
  if (opId === undefined) return undefined;
  const before = loop?.commits.find((one) => opName(one.opId ?? "") === opName(opId));
  if (before?.opId !== undefined) requireSameOp(before.opId, opId);
  return structuredClone(before?.stored);
}

function checked(event: LoopEvent): LoopEvent {
  const { data, error } = LoopEvent.safeParse(structuredClone(event));
  if (data) return data;
  throw new LoopError("invalid_input", `A ${event.type} event is malformed.`, { cause: error });
}

function requireNewest(id: string, { commits }: Loop, revision = commits.length): void {
  if (revision !== commits.length) throw revisionConflict(id, revision, commits.length);
}

function isLiving({ lease }: Loop): boolean {
  return lease !== null && performance.now() < lease.until;
}

function leaseOf(owner: string, ttlMs: number): Loop["lease"] {
  return { owner, until: performance.now() + ttlMs, renewed_at: new Date().toISOString() };
}

function fenced(id: string, epoch: number): LoopError {
  return new LoopError("fenced", `The lease with epoch ${epoch} on loop ${id} was lost.`);
}
