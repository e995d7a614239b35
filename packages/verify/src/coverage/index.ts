import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import { type FoundReport, findReports } from "./find.ts";
import { type Budget, lineTable, newBudget, type ReportedCoverage } from "./line-table.ts";
import { type Coverage, mergeReports, type RankedCoverage } from "./merge.ts";
import { pathResolver } from "./places.ts";

const CHUNK = 256 * 1024;

/**
 * What the coverage files say that were written at `since` (ms) or later; `lines` is null when none does. A report
 * that is damaged counts for nothing, never throws, and gives way to the next one. Reports of any size are read in
 * bounded memory: beyond 5,000 files and two million lines there are only counts, no line lists.
 */
export async function readCoverage(cwd: string, since: number): Promise<Coverage> {
  const left = newBudget();
  const reports: RankedCoverage[] = [];
  const told = new Map<string, number>();
  for (const found of await findReports(cwd, since)) {
    // Beside a better one in the tools' own folder it says the same once more; the top folder is nobody's own.
    const folder = dirname(found.path);
    if (folder !== "." && (told.get(folder) ?? found.rank) < found.rank) continue;
    const report = await read(cwd, found, left);
    if (report === null) continue;
    reports.push({ rank: found.rank, ...report });
    if (!told.has(folder)) told.set(folder, found.rank);
  }
  return mergeReports(reports);
}

async function read(
  cwd: string,
  { path, format }: FoundReport,
  left: Budget,
): Promise<ReportedCoverage | null> {
  const file = join(cwd, path);
  const table = lineTable(pathResolver(cwd, file), left);
  try {
    const parser = format(table);
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) {
      parser.write(chunk as Buffer);
    }
    parser.end();
  } catch {
    return null;
  }
  const report = table.reported();
  const says =
    report.files.some((file) => file.found > 0) ||
    report.unnamed.found > 0 ||
    report.percent !== null;
  return says ? report : null;
}
