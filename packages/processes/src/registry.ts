import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join, resolve } from "node:path";
import { Epoch, LoopError, type ProcessScope, tryParseJson } from "@ccw-loop/core";
import { isHere, type ProcessIdentity, thisProcess } from "./identity.ts";
import { isNoPlainFile, readPlain, realPath } from "./plain-file.ts";
import { runningProcesses } from "./process-table.ts";

/** What is kept of one group on disk, so that whoever comes next can know it again. */
export interface GroupRecord {
  mark: string;
  /** Pid of its first process. */
  group: number;
  started: string;
  owner: ProcessIdentity;
  scope: ProcessScope | null;
  /** Its beginning, for people. */
  command: string;
  /** RFC 3339. */
  at: string;
}

const COMMAND_KEPT = 200;
/** A file of the registry has less. */
const MAX_FILE_BYTES = 64 * 1024;
const HIGHEST_PID = 2 ** 31 - 1;
const RECORD_SUFFIX = ".group.json";

const EPOCH_SUFFIX = ".epoch";

/**
 * What is kept on disk of the processes of one project, in a folder that only the user may read: one small file per
 * group, and the epoch of each loop's latest owner. One of an earlier epoch that was suspended can start nothing any
 * more when it wakes, before it has looked at its lease. The latest claim decides, not the highest epoch: a loop that was
 * deleted and made anew counts from the beginning.
 */
export class Registry {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What cannot be written is no reason to start nothing: by its tag a group is found as well. */
  write(record: GroupRecord): void {
    const command = record.command.slice(0, COMMAND_KEPT);
    const text = `${JSON.stringify({ ...record, command }, null, 2)}\n`;
    try {
      replaceFile(this.#folder, recordFileName(record), text);
    } catch {
      // See above.
    }
  }

  /** What cannot be removed now, the next one removes: it tells of a group that is gone, so it harms nobody. */
  remove(record: Pick<GroupRecord, "group" | "started">): void {
    discard(join(this.#folder, recordFileName(record)));
  }

  /** All groups; what is no record is of no use to anybody and goes. */
  groups(): GroupRecord[] {
    const names = namesIn(this.#folder).filter((name) => name.endsWith(RECORD_SUFFIX));
    return names.flatMap((name) => {
      const file = join(this.#folder, name);
      const text = textIn(file);
      if (text === null) return [];
      const record = tryParseJson(text);
      if (!isRecord(record)) discard(file);
      return isRecord(record) ? [record] : [];
    });
  }

  /** From now on only this epoch, and later ones, may start anything. */
  setEpoch({ loop, epoch }: ProcessScope): void {
    if (epoch !== this.epochOf(loop))
      replaceFile(this.#folder, `${loop}${EPOCH_SUFFIX}`, `${epoch}\n`);
  }

  /** -1 where nothing is written that can be read: then nobody is taken for an earlier owner. */
  epochOf(loop: string): number {
    const text = textIn(join(this.#folder, `${loop}${EPOCH_SUFFIX}`)) ?? "";
    return /^\d+\n$/.test(text) ? (Epoch.safeParse(Number(text)).data ?? -1) : -1;
  }

  /** Throws `fenced` for a lease that is over. */
  checkEpoch({ loop, epoch }: ProcessScope): void {
    if (this.epochOf(loop) <= epoch) return;
    throw new LoopError(
      "fenced",
      `Loop ${loop} was taken over by a newer owner, so nothing is started for it here any more.`,
      { details: { loop, epoch } },
    );
  }

  /** Takes away what speaks of groups that are gone, and epochs from before the boot: no owner of that time is left. */
  tidy(): void {
    const booted = Date.now() - uptime() * 1000;
    for (const name of namesIn(this.#folder).filter((one) => one.endsWith(EPOCH_SUFFIX))) {
      const file = join(this.#folder, name);
      const { mtimeMs } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
      if (mtimeMs !== undefined && mtimeMs < booted) discard(file);
    }
    const { boot } = thisProcess();
    // In this order: a group that is registered in between is left alone.
    const known = this.groups();
    const living = new Set(runningProcesses().map(({ group }) => group));
    for (const record of known) {
      const { owner, group } = record;
      if (owner.boot !== boot || (isHere(owner) && !living.has(group))) this.remove(record);
    }
  }
}

/** What a file of the registry says; null when there is none or it cannot be read now, `""` for what is no file. */
function textIn(file: string): string | null {
  try {
    return readPlain(file, { most: MAX_FILE_BYTES })?.toString("utf8") ?? null;
  } catch (error) {
    return isNoPlainFile(error) ? "" : null;
  }
}

/** None for a folder that is elsewhere, behind a link. */
function namesIn(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/** Removes a file that is of no use, where that is possible. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // On a file system that has become read-only, say.
  }
}

/**
 * Whole or not at all. Not synced: after a power cut no process is left that it could tell of. The folder is made, the
 * one around it is not: where there are no loops there is nothing to keep.
 */
function replaceFile(folder: string, name: string, text: string): void {
  makeFolder(folder);
  const temporary = join(folder, `.${crypto.randomUUID()}`);
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
  const file = join(folder, name);
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) moveAside(file);
  renameSync(temporary, file);
}

function makeFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) moveAside(folder);
  mkdirSync(folder, { mode: 0o700 });
}

/** Somebody put it where we keep something: it is kept, under a name that nobody looks for. */
function moveAside(path: string): void {
  renameSync(path, `${path}.damaged-${crypto.randomUUID()}`);
}

function recordFileName({ group, started }: Pick<GroupRecord, "group" | "started">): string {
  return `${group}-${started}${RECORD_SUFFIX}`;
}

function isRecord(value: unknown): value is GroupRecord {
  if (typeof value !== "object" || value === null) return false;
  const { mark, group, started, owner, command, at } = value as Record<string, unknown>;
  return (
    [mark, started, command, at].every((text) => typeof text === "string") &&
    isPid(group) &&
    typeof owner === "object" &&
    owner !== null &&
    isPid(Reflect.get(owner, "pid"))
  );
}

function isPid(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= HIGHEST_PID;
}

/** Names a registry: short, and the same for every path that leads to the folder, whether it is there or not. */
export function registryIdOf(folder: string): string {
  return createHash("sha256")
    .update(realPath(resolve(folder)))
    .digest("hex")
    .slice(0, 12);
}
