import type { FileCoverage } from "@ccw-loop/core";
import type { Counts, CoveredFile, ReportedCoverage } from "./line-table.ts";

export interface Coverage {
  /** Percent of all executable lines, with two decimals; null when nothing tells it. */
  lines: number | null;
  files: FileCoverage[];
}

export interface RankedCoverage extends ReportedCoverage {
  /** Of its format; a smaller one is preferred. */
  rank: number;
}

/**
 * Several reports as one. In reports of one format a line is hit when one of them says so; of a file that two formats
 * know, the preferred format counts, for they may differ in what they call a line.
 */
export function mergeReports(reports: readonly RankedCoverage[]): Coverage {
  const files = new Map<string, { rank: number; file: CoveredFile }>();
  for (const { rank, files: reported } of reports) {
    for (const file of reported) {
      if (file.found === 0) continue;
      const known = files.get(file.path);
      if (!known) files.set(file.path, { rank, file });
      else if (known.rank === rank) known.file = union(known.file, file);
    }
  }
  const all = [...files.values()].map(({ file }) => file);
  const total: Counts = { found: 0, covered: 0 };
  for (const { found, covered } of [...all, ...reports.map(({ unnamed }) => unnamed)]) {
    total.found += found;
    total.covered += covered;
  }
  const said = reports.find(({ percent }) => percent !== null)?.percent ?? null;
  return {
    lines:
      total.found === 0 ? (said === null ? null : Math.round(said * 100) / 100) : percentOf(total),
    files: all.map((file) => ({
      path: file.path,
      lines: percentOf(file),
      hit: file.hit,
      missed: file.missed,
    })),
  };
}

function union(a: CoveredFile, b: CoveredFile): CoveredFile {
  const hasLines = (file: CoveredFile) => file.hit.length + file.missed.length > 0;
  if (!hasLines(a) || !hasLines(b)) return hasLines(b) ? b : a;
  const hit = new Set([...a.hit, ...b.hit]);
  const missed = new Set([...a.missed, ...b.missed].filter((line) => !hit.has(line)));
  return {
    path: a.path,
    found: hit.size + missed.size,
    covered: hit.size,
    hit: [...hit].sort((one, other) => one - other),
    missed: [...missed].sort((one, other) => one - other),
  };
}

/** Cut off as istanbul does: 100 only where nothing is missed, and never above a limit that was not reached. */
function percentOf({ found, covered }: Counts): number {
  return Math.floor((covered * 10_000) / found) / 100;
}
