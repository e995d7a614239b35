import { jsonReader } from "../stream-readers.ts";
import type { CoverageParser, LineTable } from "./line-table.ts";

/** The JSON formats, told apart by what stands in them. */
export function jsonParser(table: LineTable): CoverageParser {
  const reader = jsonReader();
  return {
    write: reader.write,
    end() {
      const read = reader.end();
      if (read.problem !== null) throw new Error(read.problem);
      const report = objectIn(read.value);
      addCoveragePy(report, table);
      for (const [name, value] of Object.entries(report)) {
        addIstanbul(name, objectIn(value), table);
        addSimpleCov(objectIn(value), table);
      }
    },
  };
}

/** coverage.json of coverage.py. */
function addCoveragePy(report: Fields, table: LineTable): void {
  for (const [name, value] of Object.entries(objectIn(report.files))) {
    const { executed_lines, missing_lines } = objectIn(value);
    for (const line of listIn(executed_lines)) table.file(name).line(numberIn(line), true);
    for (const line of listIn(missing_lines)) table.file(name).line(numberIn(line), false);
  }
}

/**
 * coverage-final.json: statements by number, and how often each ran; a line is hit when a statement that starts there was.
 * coverage-summary.json: numbers of lines; `total` stands among the files, by that name.
 */
function addIstanbul(name: string, { statementMap, s, lines }: Fields, table: LineTable): void {
  const counts = objectIn(s);
  for (const [id, statement] of Object.entries(objectIn(statementMap))) {
    const { line } = objectIn(objectIn(statement).start);
    table.file(name).line(numberIn(line), numberIn(counts[id]) > 0);
  }
  const { total, covered, pct } = objectIn(lines);
  if (name === "total") table.percent(numberIn(pct));
  else if (numberIn(total) > 0) table.file(name).counts(numberIn(total), numberIn(covered));
}

/** .resultset.json of SimpleCov: hits by line, null where nothing can run. */
function addSimpleCov({ coverage }: Fields, table: LineTable): void {
  for (const [name, value] of Object.entries(objectIn(coverage))) {
    for (const [at, hits] of listIn(objectIn(value).lines).entries()) {
      if (hits !== null) table.file(name).line(at + 1, numberIn(hits) > 0);
    }
  }
}

type Fields = Readonly<Record<string, unknown>>;

function objectIn(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberIn(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}
