import { stat } from "node:fs/promises";
import { join } from "node:path";
import { filesUnder } from "../files/walk.ts";
import { goProfileParser } from "./go-profile.ts";
import { jsonParser } from "./json.ts";
import { lcovParser } from "./lcov.ts";
import type { CoverageFormat } from "./parser.ts";
import { xmlParser } from "./xml.ts";

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
