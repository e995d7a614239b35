import { join } from "node:path";
import {
  Epoch,
  isMissing,
  LAST_EPOCH,
  type Lease,
  LeaseMs,
  type LeaseView,
  LoopError,
  leaseLost,
  requireLeaseMs,
  tryParseJson,
} from "@ccw-loop/core";
import { isNoPlainFile } from "@ccw-loop/processes/plain-file";
import { z } from "zod";
import { setAside } from "./backups.ts";
import { epochFolder, epochsIn } from "./commit/revision-names.ts";
import type { StoreContext } from "./context.ts";
import { orMissing } from "./fs/errors.ts";
import { isTemporary, type LoopPaths, temporary } from "./paths.ts";
import { laterEpoch } from "./safe-folders.ts";

const LeaseRecord = z.object({
  owner: z.string().max(1000),
  epoch: Epoch,
  /** In milliseconds of the clock that counts since the boot. */
  expires: z.number(),
  /** For how many milliseconds it was given. */
  ttl: LeaseMs.optional(),
  process: z.object({
    pid: z
      .int()
      .positive()
      .max(2 ** 31 - 1),
    started: z.string().nullable(),
    boot: z.string(),
    namespace: z.string(),
  }),
});
type LeaseRecord = z.infer<typeof LeaseRecord>;
/** A lease that counts now: who holds it, in which process, and for how many milliseconds unless it is renewed. */
interface Held extends Pick<LeaseRecord, "owner"> {
  pid: number;
  leftMs: number;
}

/**
 * The epoch of a loop is the name of a folder in its history. Claiming renames that folder to the next epoch,
 * which only one of many can do, and clears away the commits that were being prepared in it; an owner
 * prepares its commits there, so from then on it can add nothing.
 */
export function createLeases(context: StoreContext) {
  const { disk, runtime } = context;
  const me = runtime.self();
  const recordPath = (paths: LoopPaths, epoch: number) =>
    join(epochFolder(paths.history, epoch), `lease-${epoch}.json`);

  /** -1 where there is none. */
  function epochOf(paths: LoopPaths): number {
    return epochsIn(disk.list(paths.history)).reduce((a, b) => Math.max(a, b), -1);
  }

  const isFolder = (paths: LoopPaths, epoch: number) =>
    epoch >= 0 && disk.info(epochFolder(paths.history, epoch))?.kind === "folder";

  /** Moves a damaged epoch away: a second one, one that is no folder, or the last number there is. */
  const setDamagedEpochAside = (paths: LoopPaths, epoch: number) =>
    setAside(disk, epochFolder(paths.history, epoch));

  function recordOf(paths: LoopPaths, epoch: number): LeaseRecord | null {
    if (!isFolder(paths, epoch)) return null;
    try {
      return LeaseRecord.safeParse(tryParseJson(disk.read(recordPath(paths, epoch)))).data ?? null;
    } catch (error) {
      if (isNoPlainFile(error)) return null;
      throw error;
    }
  }

  function holder(record: LeaseRecord | null): Held | null {
    if (!record || !runtime.mayLive(record.process, me)) return null;
    const leftMs = record.expires - runtime.bootClockMs();
    // A remaining time that is longer than the lease comes from before a restart of the machine, or is forged.
    const isGiven = LeaseMs.safeParse(leftMs).success && leftMs <= (record.ttl ?? leftMs);
    if (!isGiven) return null;
    return { owner: record.owner, pid: record.process.pid, leftMs };
  }

  /** Fails with ENOENT when the epoch is over. */
  function write(paths: LoopPaths, epoch: number, owner: string, ttlMs: number): void {
    const draft = temporary(epochFolder(paths.history, epoch));
    const record: LeaseRecord = {
      owner,
      epoch,
      expires: runtime.bootClockMs() + ttlMs,
      ttl: ttlMs,
      process: me,
    };
    disk.write(draft, `${JSON.stringify(record)}\n`);
    disk.rename(draft, recordPath(paths, epoch));
  }

  /** After this no commit of an earlier epoch can be added, not even one whose system call is under way. */
  async function fence(paths: LoopPaths, epoch: number): Promise<void> {
    const folder = epochFolder(paths.history, epoch);
    for (const name of disk.list(folder).filter(isTemporary)) {
      const dead = join(folder, `dead-${name}`);
      orMissing(() => disk.rename(join(folder, name), dead), undefined);
      await disk.removeTree(dead);
    }
  }

  return {
    async claim(paths: LoopPaths, owner: string, ttlMs: number): Promise<Lease> {
      requireLeaseMs(ttlMs);
      for (;;) {
        const epoch = epochOf(paths);
        const held = holder(recordOf(paths, epoch));
        if (held !== null) throw busy(paths.id, held);
        try {
          if (epoch === LAST_EPOCH) {
            setDamagedEpochAside(paths, epoch);
          } else if (epoch < 0) {
            disk.makeFolder(epochFolder(paths.history, laterEpoch(context)));
          } else if (!isFolder(paths, epoch)) {
            setDamagedEpochAside(paths, epoch);
          } else {
            disk.rename(epochFolder(paths.history, epoch), epochFolder(paths.history, epoch + 1));
            write(paths, epoch + 1, owner, ttlMs);
            await fence(paths, epoch + 1);
            for (const other of epochsIn(disk.list(paths.history))) {
              if (other <= epoch) setDamagedEpochAside(paths, other);
            }
            const spent = join(epochFolder(paths.history, epoch + 1), `lease-${epoch}.json`);
            if (disk.info(spent)?.kind === "folder") setAside(disk, spent);
            else disk.remove(spent);
            await disk.syncFolder(paths.history);
            // While this process stood still in here, another may have claimed the next one: look who.
            if (epochOf(paths) === epoch + 1)
              return { id: paths.id, owner, epoch: epoch + 1, ttlMs };
          }
        } catch (error) {
          // Somebody else renamed it first: look who.
          if (!isMissing(error) || !disk.info(paths.history)) throw error;
        }
      }
    },
    renew(paths: LoopPaths, { owner, epoch, ttlMs }: Lease): void {
      if (epochOf(paths) !== epoch || !isFolder(paths, epoch)) throw leaseLost(paths.id, epoch);
      const record = recordOf(paths, epoch);
      const isMine = record?.epoch === epoch && record.owner === owner;
      // A lease that was given back has no record; one that cannot be read was damaged, and no other claimed.
      const isDamaged = record === null && disk.info(recordPath(paths, epoch)) !== null;
      if (!isMine && !isDamaged) throw leaseLost(paths.id, epoch);
      try {
        if (isDamaged) setAside(disk, recordPath(paths, epoch));
        write(paths, epoch, owner, ttlMs);
      } catch (error) {
        throw isMissing(error) ? leaseLost(paths.id, epoch) : error;
      }
    },
    release(paths: LoopPaths, { owner, epoch }: Lease): void {
      if (recordOf(paths, epoch)?.owner === owner) disk.remove(recordPath(paths, epoch));
    },
    ownerOf: (paths: LoopPaths) => holder(recordOf(paths, epochOf(paths)))?.owner ?? null,
    newest(paths: LoopPaths): LeaseView | null {
      const epoch = epochOf(paths);
      const record = recordOf(paths, epoch);
      const info = record && disk.info(recordPath(paths, epoch));
      if (!record || !info) return null;
      const renewed_at = new Date(info.modified).toISOString();
      const left_ms = Math.ceil(holder(record)?.leftMs ?? 0);
      return { owner: record.owner, epoch, living: left_ms > 0, left_ms, renewed_at };
    },
  };
}

function busy(id: string, { owner, pid, leftMs }: Held): LoopError {
  const seconds = Math.ceil(leftMs / 1000);
  return new LoopError(
    "loop_busy",
    `Loop ${id} is being driven by ${owner} (process ${pid}). Stop it there with: ccw-loop pause ${id}. If it no longer answers, take the loop over in ${seconds} s with: ccw-loop resume ${id}`,
    { details: { owner, pid, left_ms: Math.ceil(leftMs) } },
  );
}
