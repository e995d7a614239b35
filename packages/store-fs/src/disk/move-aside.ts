import type { Disk } from "./disk.ts";

/** Renames what stands at a path, whatever it is, so that its place is free; answers with its path now. */
export function renameToBackup(disk: Disk, path: string): string {
  const aside = freeName(disk, path);
  disk.rename(path, aside);
  return aside;
}

/**
 * Gives a file of any size a second name, so that it stays when something else is put in its place; where that cannot
 * be done it is renamed. Answers with that name.
 */
export function linkToBackup(disk: Disk, path: string): string {
  const aside = freeName(disk, path);
  try {
    disk.link(path, aside);
  } catch {
    disk.rename(path, aside);
  }
  return aside;
}

function freeName(disk: Disk, path: string): string {
  let n = 0;
  while (disk.info(`${path}.damaged-${n}`)) n += 1;
  return `${path}.damaged-${n}`;
}
