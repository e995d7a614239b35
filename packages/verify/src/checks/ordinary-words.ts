import { readdir } from "node:fs/promises";

/** Names that any program can have. */
export const PROGRAM_NAMES = [
  "app",
  "server",
  "client",
  "worker",
  "console",
  "daemon",
  "portal",
  "cmd",
];

/** The first word that no name in these folders begins with, and that is free otherwise. */
export async function unusedName(
  folders: readonly string[],
  isFree: (word: string) => boolean,
): Promise<string> {
  const names = (
    await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))
  ).flat();
  const found = PROGRAM_NAMES.find(
    (word) => isFree(word) && !names.some((name) => name.startsWith(word)),
  );
  return found ?? `our${names.length}`;
}
