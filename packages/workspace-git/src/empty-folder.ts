import { mkdir, readdir, realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { LoopError } from "@ccw-loop/core";

/** Makes a folder for a checkout; its real path. Throws `invalid_input` when it holds something or lies inside `project`. */
export async function emptyFolder(folder: string, project: string): Promise<string> {
  const wanted = resolve(folder);
  try {
    await mkdir(wanted, { recursive: true });
    if ((await readdir(wanted)).length > 0) throw refused(wanted, "is not empty");
  } catch (error) {
    if (error instanceof LoopError) throw error;
    throw new LoopError("invalid_input", `${wanted} cannot be made. Take another folder.`, {
      cause: error,
    });
  }
  const real = await realpath(wanted);
  const inside = relative(await realpath(project), real);
  if (inside !== ".." && !inside.startsWith(`..${sep}`)) {
    throw refused(wanted, "lies inside the project");
  }
  return real;
}

function refused(folder: string, why: string): LoopError {
  return new LoopError("invalid_input", `${folder} ${why}. Take an empty folder elsewhere.`);
}
