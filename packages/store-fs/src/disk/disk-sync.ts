import fs from "node:fs";

/** A sync that takes longer than this is worth a thread. */
const SLOW_MS = 2;

/** Makes what was written to an open file or folder durable. */
export type DiskSync = (fd: number) => Promise<void>;

/**
 * Waits in place while the disk is fast: handing the call to a thread and coming back costs as much as the
 * sync itself. After one that was slow the waiting is left to threads, until they report a fast one.
 */
export function adaptiveSync(now: () => number = () => performance.now()): DiskSync {
  let fast = true;
  return async (fd) => {
    const begin = now();
    if (fast) fs.fsyncSync(fd);
    else await inThread(fd);
    fast = now() - begin < SLOW_MS;
  };
}

function inThread(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(fd, (error) => (error ? reject(error) : resolve()));
  });
}
