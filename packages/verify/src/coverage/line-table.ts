import type { FileCoverage } from "@ccw-loop/core";
import type { PathResolver } from "./path-resolver.ts";

/** How much all reports of a run together may hold; what is beyond it is counted, not kept. */
export interface Budget {
  /** Files by name. */
  files: number;
  /** Executable lines of all files. */
  lines: number;
  /** Of the tables that hold them. */
  bytes: number;
}

export const newBudget = (): Budget => ({
  files: 5_000,
  lines: 2_000_000,
  bytes: 32 * 1024 * 1024,
});

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
  /** Of files that are not kept by name. */
  unnamed: Counts;
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

/** Names that are told apart, and how long one may be. */
const NAMES = 20_000;
const NAME_LENGTH = 4096;
/** The last line that is kept by number, and the last that any file can have. */
const LAST_LINE = 1_000_000;
const NO_LINE = 100_000_000;

export type LineTable = ReturnType<typeof lineTable>;

/** Takes in what a report says, in bounded memory. */
export function lineTable(places: PathResolver, left: Budget) {
  const names = new Map<string, FileLines>();
  const files = new Map<string, TableOfFile>();
  const unnamed = tableOfFile(left, false);
  const outside = tableOfFile(left, false);
  let percent: number | null = null;

  function fileNamed(name: string): FileLines {
    const path = places.find(name);
    if (path === null) return outside;
    const known = files.get(path);
    if (known || left.files <= 0) return known ?? unnamed;
    left.files -= 1;
    const file = tableOfFile(left, true);
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
      if (names.size >= NAMES || name.length > NAME_LENGTH) return unnamed;
      const file = fileNamed(name);
      names.set(name, file);
      return file;
    },
    percent(value: number): void {
      if (value >= 0 && value <= 100) percent = value;
    },
    reported: (): ReportedCoverage => ({
      files: [...files].map(([path, file]) => ({ path, ...file.lineLists() })),
      unnamed: unnamed.total(),
      percent,
    }),
  };
}

interface TableOfFile extends FileLines {
  total(): Counts;
  lineLists(): Omit<CoveredFile, "path">;
}

const MISSED = 1;
const HIT = 2;

/** A byte per line; without `lists`, or when the budget is used up, only counts. */
function tableOfFile(left: Budget, lists: boolean): TableOfFile {
  let states: Uint8Array | null = lists ? new Uint8Array(0) : null;
  const counted: Counts = { found: 0, covered: 0 };

  const count = (hit: boolean) => {
    counted.found += 1;
    if (hit) counted.covered += 1;
  };
  const roomFor = (number: number): Uint8Array | null => {
    if (states === null || number < states.length) return states;
    const size = Math.max(number + 1, 2 * states.length, 64);
    if (number > LAST_LINE || size - states.length > left.bytes) return forget();
    left.bytes -= size - states.length;
    const grown = new Uint8Array(size);
    grown.set(states);
    states = grown;
    return states;
  };
  const forget = (): null => {
    left.bytes += states?.length ?? 0;
    left.lines += counted.found;
    states = null;
    return null;
  };

  return {
    line(number, hit) {
      if (!(number >= 1 && number < NO_LINE)) return;
      const room = left.lines > 0 ? roomFor(number) : states && forget();
      if (room === null) return count(hit);
      if (room[number] === 0) {
        room[number] = hit ? HIT : MISSED;
        left.lines -= 1;
        count(hit);
      } else if (hit && room[number] === MISSED) {
        room[number] = HIT;
        counted.covered += 1;
      }
    },
    counts(found, covered) {
      if (!(found >= covered && covered >= 0)) return;
      if (states !== null) forget();
      counted.found += found;
      counted.covered += covered;
    },
    total: () => ({ ...counted }),
    lineLists() {
      const hit: number[] = [];
      const missed: number[] = [];
      states?.forEach((state, number) => {
        if (state === HIT) hit.push(number);
        else if (state === MISSED) missed.push(number);
      });
      return { ...counted, hit, missed };
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

/** Reads one coverage format. Both verbs throw when the report is damaged: then nothing of it counts. */
export interface CoverageParser {
  write(chunk: Buffer): void;
  end(): void;
}

export type CoverageFormat = (table: LineTable) => CoverageParser;
