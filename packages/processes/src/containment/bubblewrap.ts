import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { isInside, realPath } from "../plain-file.ts";
import { bubblewrapArguments, type Containment } from "./mounts.ts";

const PROGRAM = "bwrap";
const PATIENCE_MS = 10_000;
/** Root has no rights in there over what belongs to others. */
const CAN_WORK = '[ -w . ] || { echo "$PWD cannot be written to in it" >&2; exit 1; }';

/** The program that contains others here, or why there is none that does, as a sentence. */
export type Bubblewrap = { file: string } | { problem: string };

/**
 * Finds bubblewrap on `path` and tries it with what is to be contained: it may be there and be refused by the system. One that
 * lies where the contained program may write is not believed.
 */
export async function findBubblewrap(path: string, containment: Containment): Promise<Bubblewrap> {
  const file = await programOn(path, containment.writable);
  if (file === null) {
    const where = process.platform === "linux" ? "Install it" : "It is there for Linux alone";
    return { problem: `There is no bubblewrap (${PROGRAM}) on PATH. ${where}.` };
  }
  try {
    await run(file, bubblewrapArguments(containment, ["/bin/sh", "-c", CAN_WORK]));
    return { file };
  } catch (error) {
    return { problem: `${file} does not work here: ${complaintOf(error)}.` };
  }
}

/** Runs one command contained, with nothing in its environment but PATH. Rejects like `execFile`. */
export async function runContained(
  bubblewrap: string,
  containment: Containment,
  command: readonly string[],
): Promise<string> {
  return (await run(bubblewrap, bubblewrapArguments(containment, command))).stdout;
}

function run(file: string, args: readonly string[]) {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  return promisify(execFile)(file, args, { timeout: PATIENCE_MS, env, cwd: "/" });
}

async function programOn(path: string, writable: readonly string[]): Promise<string | null> {
  const places = path.split(delimiter).filter(isAbsolute);
  for (const place of places.map((folder) => join(folder, PROGRAM))) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    const isTheirs = (file: string) => writable.some((folder) => isInside(folder, file));
    if (isThere && !isTheirs(place) && !isTheirs(realPath(place))) return place;
  }
  return null;
}

function complaintOf(error: unknown): string {
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  const [first = ""] = said.split("\n");
  if (first !== "") return first.replace(/^bwrap: /, "").replace(/\.$/, "");
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}
