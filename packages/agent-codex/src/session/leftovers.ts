import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders that Codex's sandbox hides; where one is missing, it makes an empty one for the time being. */
const SANDBOX_FOLDERS = [".git", ".codex", ".agents", ".aws"];

/** Takes away what a sandbox that was ended in its first moments left in the project. */
export interface SandboxLeftovers {
  remove(): Promise<void>;
}

/**
 * Looks which of the folders are not there yet: an empty one that is found later is the sandbox's. In a
 * project where one of our sessions ran before, one that is empty already is, too.
 */
export async function watchSandboxLeftovers(
  cwd: string,
  ranBefore: boolean,
): Promise<SandboxLeftovers> {
  const paths = SANDBOX_FOLDERS.map((name) => join(cwd, name));
  const contents = await Promise.all(paths.map((path) => readdir(path).catch(errorCode)));
  const ours = paths.filter((_, i) => {
    const found = contents[i];
    return found === "ENOENT" || (ranBefore && Array.isArray(found) && found.length === 0);
  });
  return {
    async remove() {
      await Promise.all(ours.map((path) => rmdir(path).catch(errorCode)));
    },
  };
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}
