import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { filesUnder } from "../files/walk.ts";
import type { RunContext } from "./runner.ts";

/** Where a runner that takes one path writes its report. */
export function reportFile({ reports }: RunContext): string {
  return join(reports, "report");
}

/** That file, if the run has written it. */
export async function oneFile(context: RunContext): Promise<string[]> {
  const file = reportFile(context);
  const found = await stat(file).catch(() => null);
  return found?.isFile() && found.size > 0 ? [file] : [];
}

/** The files in our own folder that end like one of these. */
export function filesEnding(...endings: string[]): (context: RunContext) => Promise<string[]> {
  return async ({ reports }) => {
    const entries = await readdir(reports, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && endings.some((end) => entry.name.endsWith(end)))
      .map(({ name }) => join(reports, name))
      .sort();
  };
}

/** Report files inside the project that this run wrote: runners that cannot be told where to write. */
export function freshFiles(
  pattern: RegExp,
): (context: RunContext, since: number) => Promise<string[]> {
  return async ({ cwd }, since) => {
    const fresh: string[] = [];
    for await (const path of filesUnder(cwd, { builds: true })) {
      if (!pattern.test(path)) continue;
      const file = join(cwd, path);
      const found = await stat(file).catch(() => null);
      if (found && found.mtimeMs >= since) fresh.push(file);
    }
    return fresh;
  };
}
