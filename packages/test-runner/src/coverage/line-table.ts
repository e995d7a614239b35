import type { FileCoverage } from "@ccw-loop/core";
import type { PathResolver } from "./path-resolver.ts";

/** How many more files and lines the reports of a run may name; one that names more is damaged. */
export interface Budget {
  entries: number;
}

/** How long a name may be. */
const NAME_LENGTH = 4096;
/** The last line that any file can have. */
const LAST_LINE = 100_000_000;

export type LineTable = ReturnType<typeof lineTable>;

/** Takes in what a report says. */
export function lineTable(places: PathResolver, left: Budget) {
  const names = new Map<string, FileLines>();
  const files = new Map<string, FileTable>();
  let percent: number | null = null;
  const count = () => {
    left.entries -= 1;
    if (left.entries < 0) throw new Error("it names too many files and lines");
  };

  function fileNamed(name: string): FileLines {
    const path = name.length > NAME_LENGTH ? null : places.find(name);
    if (path === null) return OUTSIDE;
    const file = files.get(path) ?? fileTable(count);
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
    reported: () => ({ files, percent }),
  };
}

/** Takes in what a report says about one file. */
export type FileLines = Pick<FileTable, "line" | "counts">;

const OUTSIDE: FileLines = { line() {}, counts() {} };

type FileTable = ReturnType<typeof fileTable>;

/** What reports say about one file. `count` is called for each line. */
function fileTable(count: () => void) {
  /** Whether each is hit. */
  const lines = new Map<number, boolean>();
  /** Of lines that are not told. */
  const others = { found: 0, covered: 0 };
  return {
    lines,
    isEmpty: () => lines.size + others.found === 0,
    tellsLines: () => lines.size > 0 && others.found === 0,
    /** A line that is named twice is hit when one of both says so. */
    line(number: number, hit: boolean): void {
      if (!(number >= 1 && number < LAST_LINE)) return;
      const known = lines.get(number);
      if (known === undefined) count();
      lines.set(number, hit || known === true);
    },
    /** For a file whose lines are not told. */
    counts(found: number, covered: number): void {
      if (!(found >= covered && covered >= 0)) return;
      others.found += found;
      others.covered += covered;
    },
    /** The lists are sorted, and both empty where only counts are known. */
    total() {
      const all = [...lines.keys()].sort((one, other) => one - other);
      const hit = all.filter((number) => lines.get(number));
      const missed = all.filter((number) => !lines.get(number));
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

/** What one report says. */
export interface ReportedCoverage {
  /** Of its format; a smaller one is preferred. */
  rank: number;
  files: ReadonlyMap<string, FileTable>;
  /** Percent of lines in the report's own words. */
  percent: number | null;
}

/**
 * Several reports as one. In reports of one format a line is hit when one of them says so; of a file that two formats
 * know, the preferred format counts, for they may differ in what they call a line.
 */
export function mergeReports(reports: readonly ReportedCoverage[]): Coverage {
  const files = new Map<string, { rank: number; file: FileTable }>();
  for (const { rank, files: reported } of reports) {
    for (const [path, file] of reported) {
      if (file.isEmpty()) continue;
      const known = files.get(path);
      if (!known) files.set(path, { rank, file });
      else if (known.rank === rank) known.file = union(known.file, file);
    }
  }
  const all = [...files].map(([path, { file }]) => ({ path, ...file.total() }));
  const total = { found: 0, covered: 0 };
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

/** The lines of both, in the first one. Counts alone give way to lines. */
function union(a: FileTable, b: FileTable): FileTable {
  if (!b.tellsLines()) return a;
  if (!a.tellsLines()) return b;
  for (const [number, hit] of b.lines) a.lines.set(number, hit || a.lines.get(number) === true);
  return a;
}

/** Cut off as istanbul does: 100 only where nothing is missed, and never above a limit that was not reached. */
function percentOf({ found, covered }: { found: number; covered: number }): number {
  return Math.floor((covered * 10_000) / found) / 100;
}

/** Reads one coverage format. Both verbs throw when the report is damaged: then nothing of it counts. */
export interface CoverageParser {
  write(chunk: Buffer): void;
  end(): void;
}

export type CoverageFormat = (table: LineTable) => CoverageParser;
