import type { FileCoverage } from "@ccw-loop/core";
import type { PathResolver } from "./path-resolver.ts";

/** How many more files and lines the reports of a run may name; one that names more is damaged. */
export interface Budget {
  entries: number;
}

/** Lines in numbers. */
export interface Counts {
  found: number;
  covered: number;
}

/** One file of a report. The lists are sorted, and both empty where only counts are known. */
export interface CoveredFile extends Counts {
  path: string;
  hit: number[];
  missed: number[];
}

/** What one report says. */
export interface ReportedCoverage {
  files: CoveredFile[];
  /** Percent of lines in the report's own words. */
  percent: number | null;
}

/** Takes in what a report says about one file. */
export interface FileLines {
  /** A line that is named twice is hit when one of both says so. */
  line(number: number, hit: boolean): void;
  /** For a file whose lines are not told. */
  counts(found: number, covered: number): void;
}

/** How long a name may be. */
const NAME_LENGTH = 4096;
/** The last line that any file can have. */
const LAST_LINE = 100_000_000;

export type LineTable = ReturnType<typeof lineTable>;

/** Takes in what a report says. */
export function lineTable(places: PathResolver, left: Budget) {
  const names = new Map<string, FileLines>();
  const files = new Map<string, TableOfFile>();
  let percent: number | null = null;
  const count = () => {
    left.entries -= 1;
    if (left.entries < 0) throw new Error("it names too many files and lines");
  };

  function fileNamed(name: string): FileLines {
    const path = name.length > NAME_LENGTH ? null : places.find(name);
    if (path === null) return OUTSIDE;
    const file = files.get(path) ?? tableOfFile(count);
    files.set(path, file);
    return file;
  }

  return {
    /** Where the names of this report are looked for. */
    places,
    /** A file by the report's name for it; what is said about one outside the project is dropped. */
    file(name: string): FileLines {
      const known = names.get(name);
      if (known) return known;
      count();
      const file = fileNamed(name);
      names.set(name, file);
      return file;
    },
    percent(value: number): void {
      if (value >= 0 && value <= 100) percent = value;
    },
    reported: (): ReportedCoverage => ({
      files: [...files].map(([path, file]) => ({ path, ...file.lineLists() })),
      percent,
    }),
  };
}

const OUTSIDE: FileLines = { line() {}, counts() {} };

interface TableOfFile extends FileLines {
  lineLists(): Omit<CoveredFile, "path">;
}

/** `count` is called for each line. */
function tableOfFile(count: () => void): TableOfFile {
  const lines = new Map<number, boolean>();
  const others: Counts = { found: 0, covered: 0 };
  return {
    line(number, hit) {
      if (!(number >= 1 && number < LAST_LINE)) return;
      const known = lines.get(number);
      if (known === undefined) count();
      lines.set(number, hit || known === true);
    },
    counts(found, covered) {
      if (!(found >= covered && covered >= 0)) return;
      others.found += found;
      others.covered += covered;
    },
    lineLists() {
      const all = [...lines.keys()].sort((one, other) => one - other);
      const [hit, missed] = [true, false].map((is) => all.filter((n) => lines.get(n) === is)) as [
        number[],
        number[],
      ];
      const found = all.length + others.found;
      const covered = hit.length + others.covered;
      return others.found > 0
        ? { found, covered, hit: [], missed: [] }
        : { found, covered, hit, missed };
    },
  };
}

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
  for (const { found, covered } of all) {
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

/** Reads one coverage format. Both verbs throw when the report is damaged: then nothing of it counts. */
export interface CoverageParser {
  write(chunk: Buffer): void;
  end(): void;
}

export type CoverageFormat = (table: LineTable) => CoverageParser;
