import { randomUUID } from "node:crypto";
import { link, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LoopError, type TreeClaim, type TreeHolder } from "@ccw-loop/core";
import { mayLive, type ProcessIdentity, thisProcess } from "@ccw-loop/processes/identity";

/** One claim, in a file of its own. The file with the highest number counts. */
interface ClaimRecord extends TreeHolder {
  /** Tells this claim from every other one. */
  token: string;
  /** In milliseconds of the machine's own clock; it was given for `ttl` of them. */
  expires: number;
  ttl: number;
  process: ProcessIdentity;
  /** `takenFrom` of the port, until the first renewal. */
  from?: TreeHolder[];
  released?: true;
}

const NAME = /^driver-(\d{1,15})\.json$/;
/** Larger than any record. */
const MOST_BYTES = 16_384;

/** The claims on one tree. */
export interface TreeClaims {
  claim(holder: TreeHolder, ttlMs: number): Promise<TreeClaim>;
  holder(): Promise<TreeHolder | null>;
}

/**
 * Claims on the files of `top`, kept in `folder`. Making the file with the next number decides between processes that
 * claim at the same moment. It is never made twice, so a process that was suspended finds that its number is not the
 * highest any more.
 */
export function treeClaims({ top, folder }: { top: string; folder: string }): TreeClaims {
  const fileOf = (number: number) => join(folder, `driver-${number}.json`);

  async function numbers(): Promise<number[]> {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw unwritable(error);
    });
    return names.flatMap((name) => Number(NAME.exec(name)?.[1] ?? []));
  }

  /** The highest number, 0 for none, and its record; undefined for one that cannot be read. */
  async function newest(): Promise<{ number: number; record: ClaimRecord | undefined }> {
    const number = Math.max(0, ...(await numbers()));
    return { number, record: number === 0 ? undefined : await recordIn(fileOf(number)) };
  }

  /** Writes a record whole, then puts it in its place: by `rename` also where another one stands, by `link` only where none does. */
  async function write(
    number: number,
    record: ClaimRecord,
    put: typeof rename | typeof link,
  ): Promise<void> {
    const draft = join(folder, `.tmp-${randomUUID()}`);
    try {
      await writeFile(draft, `${JSON.stringify(record)}\n`, { mode: 0o600 });
      await put(draft, fileOf(number));
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** False when another process was first. */
  async function make(number: number, record: ClaimRecord): Promise<boolean> {
    try {
      await mkdir(folder, { recursive: true });
      await write(number, record, link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw unwritable(error);
    }
    if (Math.max(...(await numbers())) === number) return true;
    // It was cleared away by a later claim before it was made.
    await rm(fileOf(number), { force: true });
    return false;
  }

  function claimOf(record: ClaimRecord, before: ClaimRecord | undefined): TreeClaim {
    const { from: takenFrom = [], ...settled } = record;
    /** The number under which it lies; null when it is lost. */
    const mine = async () => {
      const { number, record: there } = await newest();
      return there?.token === record.token && !there.released ? number : null;
    };
    const put = async (changed: ClaimRecord) => {
      const number = await mine();
      if (number !== null) {
        await write(number, changed, rename).catch((error: unknown) => {
          throw unwritable(error);
        });
      }
      return number !== null;
    };
    const lost = () =>
      new LoopError("fenced", `The files of ${top} were claimed by another loop meanwhile.`);
    return {
      takenFrom,
      async renew() {
        const renewed = await put({ ...settled, expires: ticks() + record.ttl });
        if (!renewed || (await mine()) === null) throw lost();
      },
      async release() {
        await put({ ...settled, released: true });
      },
      async giveBack() {
        await put(takenFrom.length > 0 && before ? before : { ...settled, released: true });
      },
    };
  }

  return {
    async claim(holder, ttl) {
      for (;;) {
        const { number, record: before } = await newest();
        const isOwn = before && isSameLoop(before, holder);
        if (before && !isOwn && isHeld(before)) throw busy(top, before);
        const token = randomUUID();
        const expires = ticks() + ttl;
        const from = unsettled(before, holder);
        const record = { ...holderOf(holder), token, expires, ttl, process: thisProcess(), from };
        if (!(await make(number + 1, record))) continue;
        const old = (await numbers()).filter((other) => other <= number);
        await Promise.all(old.map((other) => rm(fileOf(other), { recursive: true, force: true })));
        return claimOf(record, before);
      }
    },
    async holder() {
      const { record } = await newest();
      return record && isHeld(record) ? holderOf(record) : null;
    },
  };

  function unwritable(cause: unknown): LoopError {
    const message = `Cannot write the claim for ${top} to ${folder}. Check the rights and the space there.`;
    return new LoopError("store_unavailable", message, { cause });
  }
}

/** Undefined when it is not there, or nothing of ours. */
async function recordIn(file: string): Promise<ClaimRecord | undefined> {
  try {
    const stats = await lstat(file);
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    const found = JSON.parse(await readFile(file, "utf8")) as Partial<ClaimRecord> | null;
    const { token, expires, ttl, process, from = [] } = found ?? {};
    const texts = typeof token === "string" && [found ?? {}, ...from].every(isHolder);
    const times = [expires, ttl, process?.pid].every((number) => typeof number === "number");
    return texts && times ? (found as ClaimRecord) : undefined;
  } catch {
    return undefined;
  }
}

function isHeld({ expires, ttl, process, released }: ClaimRecord): boolean {
  if (released || !mayLive(process)) return false;
  const left = expires - ticks();
  // More than it was given for was counted by another clock, before a restart of the machine.
  return left > 0 && left <= ttl;
}

/** Whose work may not have ended when `next` follows on that claim. */
function unsettled(before: ClaimRecord | undefined, next: TreeHolder): TreeHolder[] {
  if (!before || before.released) return [];
  const latest = mayLive(before.process) ? [holderOf(before)] : [];
  return [...(before.from ?? []), ...latest].filter((one) => !isSameLoop(one, next));
}

function isSameLoop(a: TreeHolder, b: TreeHolder): boolean {
  return a.loop === b.loop && a.project === b.project;
}

function isHolder({ loop, project, owner }: Partial<TreeHolder>): boolean {
  return [loop, project, owner].every((text) => typeof text === "string");
}

function holderOf({ loop, project, owner }: TreeHolder): TreeHolder {
  return { loop, project, owner };
}

/** The machine's monotonic clock, which all of its processes count alike. */
function ticks(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

function busy(top: string, holder: TreeHolder): LoopError {
  const { loop, owner } = holder;
  return new LoopError(
    "workspace_busy",
    `Loop ${loop} works on the files of ${top} (driven by ${owner}).`,
    { details: { top, holder: holderOf(holder) } },
  );
}
