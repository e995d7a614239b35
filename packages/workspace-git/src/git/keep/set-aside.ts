import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hiddenFolder } from "../../own-folder.ts";
import { bytesOf, fileAt, type RawPath, rawOf } from "../../raw-path.ts";
import { unwritable } from "../refusals.ts";
import type { Repository } from "../repository.ts";
import { isReachable } from "./remove-files.ts";

const FOLDER = ".set-aside";
/** Of so many rewinds the files stay. */
const KEPT = 3;

/** Moves files that nobody keeps to `.workflow/.loop/.set-aside/{time}`, under their paths from the top. */
export async function backUp({ top, cwd }: Repository, paths: readonly RawPath[]): Promise<void> {
  if (paths.length === 0) return;
  const folder = await hiddenFolder(cwd, FOLDER);
  const target = join(folder, `${Date.now()}`);
  for (const path of paths) {
    if (!(await isReachable(top, path))) continue;
    const place = `${rawOf(target)}/${path}`;
    await mkdir(bytesOf(dirname(place)), { recursive: true });
    await rename(fileAt(top, path), bytesOf(place)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw unwritable(error, fileAt(top, path));
    });
  }
  const times = (await readdir(folder)).filter((name) => /^\d+$/.test(name)).sort();
  for (const time of times.slice(0, -KEPT)) await rm(join(folder, time), { recursive: true });
}
