import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readCoverage } from "../src/coverage/read-coverage.ts";
import { project } from "./project.ts";

/** A report as a tool wrote it for the project in `/home/dev/shop`, now for one in `dir`. */
export async function recordedCoverage(name: string, dir = "/home/dev/shop"): Promise<string> {
  const file = join(import.meta.dirname, "fixtures", "coverage", name);
  return (await readFile(file, "utf8")).replaceAll("/home/dev/shop", dir);
}

/** What is read in a project with these files: percent, and `path: hit | missed` with ranges of lines. */
export async function coverageOf(files: Readonly<Record<string, string>>) {
  return outline(await readCoverage(await project(files), 0));
}

export function outline({ lines, files }: Awaited<ReturnType<typeof readCoverage>>) {
  const all = files.map(({ path, hit, missed }) => `${path}: ${ranges(hit)} | ${ranges(missed)}`);
  return [lines, ...all.sort()];
}

function ranges(lines: readonly number[]): string {
  const found: [number, number][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(" ");
}
