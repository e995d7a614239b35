import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { filesUnder } from "../project-files.ts";
import { jsonParser } from "./json.ts";
import { goProfileParser, lcovParser } from "./line-formats.ts";
import {
  type Budget,
  type Coverage,
  type CoverageFormat,
  lineTable,
  mergeReports,
  type ReportedCoverage,
} from "./line-table.ts";
import { pathResolver } from "./path-resolver.ts";
import { xmlParser } from "./xml.ts";

const CHUNK = 256 * 1024;
/** Of files and lines that all reports together may name. */
const ENTRIES = 5_000_000;

/**
 * What the coverage files say that were written at `since` (ms) or later; `lines` is null when none does. A report
 * that is damaged counts for nothing, never throws, and gives way to the next one; so does JSON of more than 256 MB, and one
 * that has more lines than are kept.
 */
export async function readCoverage(
  cwd: string,
  since: number,
  most: number = ENTRIES,
): Promise<Coverage> {
  const left: Budget = { entries: most };
  const reports: ReportedCoverage[] = [];
  const told = new Map<string, number>();
  for (const found of await findReports(cwd, since)) {
    // Beside a better one in the tools' own folder it says the same once more; the top folder is nobody's own.
    const folder = dirname(found.path);
    if (folder !== "." && (told.get(folder) ?? found.rank) < found.rank) continue;
    const report = await read(cwd, found, left);
    if (report === null) continue;
    reports.push(report);
    if (!told.has(folder)) told.set(folder, found.rank);
  }
  return mergeReports(reports);
}

async function read(
  cwd: string,
  { path, rank, format }: FoundReport,
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
  const { files, percent } = table.reported();
  const says = percent !== null || [...files.values()].some((file) => !file.isEmpty());
  return says ? { rank, files, percent } : null;
}

/** A coverage file of this run. */
export interface FoundReport {
  /** From the project folder, with `/`. */
  path: string;
  /** Place of its format in the order of preference; 0 is the best. */
  rank: number;
  format: CoverageFormat;
}

/**
 * The names that coverage tools write to by default or by custom, in order of preference: formats with every line
 * before those with rates only.
 */
const FORMATS: readonly [RegExp, CoverageFormat][] = [
  // lcov, nyc, c8, jest, vitest, `coverage lcov`, tarpaulin, grcov, llvm-cov, simplecov-lcov
  [/(^|[/.-])(lcov|coverage)\.info$|\.lcov$/, lcovParser],
  // nyc, jest, vitest
  [/(^|\/)coverage-final\.json$/, jsonParser],
  // go test, ginkgo
  [
    /(^|\/)(coverage|cover|c|coverprofile|profile)\.(out|cov|txt)$|\.coverprofile$/,
    goProfileParser,
  ],
  // SimpleCov
  [/(^|\/)coverage\/\.resultset\.json$/, jsonParser],
  // coverage.py, istanbul, tarpaulin, grcov, coverlet, gcovr, PHPUnit
  [/(^|[/.-])(coverage|cobertura|cobertura-coverage)\.xml$/, xmlParser],
  // JaCoCo for Maven and Gradle, Kover
  [/(^|\/)(jacoco\w*|kover\/(report|xml\/report))\.xml$/, xmlParser],
  // jest, vitest, PHPUnit
  [/(^|[/.-])clover\.xml$/, xmlParser],
  // coverage.py
  [/(^|\/)coverage\.json$/, jsonParser],
  [/(^|\/)coverage-summary\.json$/, jsonParser],
];

/** Folders with examples of reports, as the tests of a coverage tool have them. */
const EXAMPLES = /(^|\/)(__)?(fixtures?|testdata|test-data|recorded)(__)?\//;

const REPORTS = 500;
const LARGEST = 1024 * 1024 * 1024;

/** The coverage files that were written at `since` (ms) or later, the preferred ones first. */
export async function findReports(cwd: string, since: number): Promise<FoundReport[]> {
  const found: FoundReport[] = [];
  for await (const path of filesUnder(cwd, { builds: true })) {
    const rank = FORMATS.findIndex(([name]) => name.test(path));
    const format = FORMATS[rank]?.[1];
    if (!format || EXAMPLES.test(path)) continue;
    const file = await stat(join(cwd, path)).catch(() => null);
    if (!file || file.mtimeMs < since || file.size > LARGEST) continue;
    found.push({ path, rank, format });
    if (found.length >= REPORTS) break;
  }
  return found.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length);
}
