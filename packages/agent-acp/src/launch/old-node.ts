import { execFile } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { foldersUp, realPath } from "@ccw-loop/processes/plain-file";
import { textAt } from "../json.ts";
import { findProgram } from "./launch.ts";
import type { Profile } from "./profiles.ts";

const run = promisify(execFile);

/**
 * A sentence, where an agent's program is a Node script whose package wants a newer Node than the one on `path`, by which it is
 * started; else null, also where that cannot be told.
 */
export async function oldNode(
  { title }: Profile,
  program: string,
  path: string,
): Promise<string | null> {
  const node = findProgram("node", path);
  if (node === null) return null;
  try {
    const script = realPath(program);
    const wanted = isNodeScript(script) ? wantedBy(script) : null;
    if (wanted === null) return null;
    const { stdout } = await run(node, ["--version"], { timeout: 10_000 });
    const found = stdout.trim().replace(/^v/, "");
    if (found.localeCompare(wanted, "en", { numeric: true }) >= 0) return null;
    return `${title} wants Node ${wanted} or newer, and is started by ${node}, which is ${found}: put a newer one first on PATH.`;
  } catch {
    return null;
  }
}

const LONGEST_START = 128;

function isNodeScript(file: string): boolean {
  const descriptor = openSync(file, "r");
  const start = Buffer.alloc(LONGEST_START);
  const length = readSync(descriptor, start);
  closeSync(descriptor);
  return /^#!.*\bnode\b/.test(start.toString("latin1", 0, length));
}

/** The lowest version in `engines` of its package, where that names nothing but one. */
function wantedBy(script: string): string | null {
  const manifest = foldersUp(dirname(script))
    .map((folder) => join(folder, "package.json"))
    .find((file) => existsSync(file));
  if (manifest === undefined) return null;
  const engines = textAt(JSON.parse(readFileSync(manifest, "utf8")), "engines", "node") ?? "";
  return /^>=\s*v?(\d+(?:\.\d+){0,2})$/.exec(engines.trim())?.[1] ?? null;
}
