import { stat, utimes, writeFile } from "node:fs/promises";

/**
 * Writes over a file of a room so that what was compiled from it counts as out of date: Python's bytecode holds the size of its
 * source and the second of its last change, and either may be the same as before.
 */
export async function overwrite(path: string, text: string): Promise<void> {
  const before = await stat(path).catch(() => null);
  await writeFile(path, text);
  const later = before === null ? 0 : Math.floor(before.mtimeMs / 1000) + 1;
  if (Date.now() < later * 1000) await utimes(path, later, later);
}
