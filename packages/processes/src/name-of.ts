import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Names a registry: short, and the same for every path that leads to the folder, whether it is there or not. */
export function registryIdOf(folder: string): string {
  return createHash("sha256")
    .update(realPath(resolve(folder)))
    .digest("hex")
    .slice(0, 12);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (dirname(path) === path) throw error;
    return join(realPath(dirname(path)), basename(path));
  }
}
