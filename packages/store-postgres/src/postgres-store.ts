import { randomUUID } from "node:crypto";
import {
  isLoopError,
  LoopError,
  type LoopStore,
  parseLoopId,
  type StoredLoop,
} from "@ccw-loop/core";
import { Changes } from "./changes.ts";
import { Commits } from "./commits.ts";
import { Database } from "./database.ts";
import { draftOf, type Head } from "./document.ts";
import { Leases } from "./leases.ts";
import { listLoops } from "./list.ts";
import { Logs } from "./log.ts";
import { type PostgresOptions, parseOptions } from "./options.ts";
import { recoverLoop } from "./recover.ts";
import { removeLoop } from "./remove.ts";
import { restoreLoop } from "./restore.ts";

export interface PostgresStoreOptions extends PostgresOptions {
  /** Told in a sentence what could not be kept. */
  onWarning?: ((warning: { id: string; message: string }) => void) | undefined;
}

/**
 * The `LoopStore` of many machines. Its tables have to be there (`migrate`). Opens nothing before it is asked for something.
 * Throws `invalid_input` for options that cannot be right.
 */
export function postgresStore({
  onWarning = () => undefined,
  ...options
}: PostgresStoreOptions): LoopStore {
  const settings = parseOptions(options);
  const db = new Database(settings);
  const changes = new Changes(db, settings);
  const commits = new Commits(db);
  const leases = new Leases(db);
  const logs = new Logs(db, changes, settings.keepLogBytes, (id, message) =>
    onWarning({ id, message }),
  );

  function committed({ state, revision }: Head): StoredLoop {
    changes.tell(state.loop_id);
    return { state, revision };
  }

  return {
    async create(given, { actor, opId = randomUUID() }) {
      const id = parseLoopId(given.loop_id);
      const { revision: _, etag: __, ...loop } = given;
      const event = { type: "loop.created" as const, at: given.created_at, loop };
      const draft = draftOf(undefined, 1, [event]);
      for (;;) {
        const made = await commits.insert(id, draft, { actor, opId });
        if (made) return committed(made);
        try {
          const before = await commits.refusal(id, undefined, { opId });
          if (before) return before;
        } catch (error) {
          // The other one was removed meanwhile.
          if (isLoopError(error, "loop_not_found")) continue;
          throw error;
        }
        throw new LoopError("loop_exists", `Loop ${id} exists already.`);
      }
    },
    async read(id) {
      const { state, revision } = await commits.read(parseLoopId(id));
      return { state, revision };
    },
    async restore(loop) {
      const made = await restoreLoop(db, loop);
      if (made) return committed(made);
      const { loop_id: id } = loop.state;
      await commits.refusal(id, undefined, { opId: randomUUID() });
      throw new LoopError("loop_exists", `Loop ${id} exists already.`);
    },
    async append(id, revision, events, { actor, opId = randomUUID(), epoch }) {
      parseLoopId(id);
      for (;;) {
        const head = await commits.at(id, revision);
        if (events.length > 0 && head.revision === revision) {
          const draft = draftOf(head.state, revision + 1, events);
          const added = await commits.append(head, draft, { actor, opId, epoch });
          if (added) return committed(added);
        }
        // Another loop of this name may be at the same revision now.
        commits.forget(id);
        const before = await commits.refusal(id, revision, { opId, epoch });
        if (before) return before;
        if (events.length === 0) return this.read(id);
      }
    },
    operation: async (id, opId) => commits.refusal(parseLoopId(id), undefined, { opId }),
    list: (query = {}) => listLoops(db, commits, query),
    async *events(id, after = 0) {
      const { no, revision } = await commits.read(parseLoopId(id));
      yield* commits.events({ no, id, revision }, after);
    },
    watch(id, signal) {
      return changes.of(id === undefined ? id : parseLoopId(id), signal);
    },
    claim: async (id, owner, ttlMs) => leases.claim(parseLoopId(id), owner, ttlMs),
    renew: async (lease) => leases.renew({ ...lease, id: parseLoopId(lease.id) }),
    release: async (lease) => leases.release({ ...lease, id: parseLoopId(lease.id) }),
    async ownerOf(id) {
      const lease = await leases.newest(parseLoopId(id));
      return lease?.living ? lease.owner : null;
    },
    leaseOf: async (id) => leases.newest(parseLoopId(id)),
    async remove(id, options = {}) {
      await removeLoop(db, commits, parseLoopId(id), options);
      commits.forget(id);
      changes.tell(id);
    },
    async appendLog(id, records) {
      const { no } = await commits.at(parseLoopId(id));
      await logs.append(id, no, records);
    },
    async *readLog(id, options) {
      yield* logs.read(parseLoopId(id), options);
    },
    progressDir: (id) =>
      `postgres://${db.place.name}/${settings.schema}/${parseLoopId(id)}.progress`,
    async recover(id, options) {
      const recovery = await recoverLoop(db, commits, parseLoopId(id), options);
      if (!options.dryRun) changes.tell(id);
      return recovery;
    },
    figures: () => leases.figures(),
    async close() {
      await logs.flush();
      await changes.sent();
      await db.close();
      await changes.idle();
    },
  };
}
