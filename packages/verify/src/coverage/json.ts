import { jsonReader } from "../readers.ts";
import type { CoverageParser, LineTable } from "./line-table.ts";

/** Everything that is looked at; the rest of a report is dropped while it streams by. */
const PATHS = [
  // coverage-final.json of istanbul: statements by number, and how often each ran.
  "$.*.statementMap.*.start.line",
  "$.*.s.*",
  // coverage-summary.json of istanbul.
  "$.*.lines.total",
  "$.*.lines.covered",
  "$.*.lines.pct",
  // .resultset.json of SimpleCov: hits by line, null where nothing can run.
  "$.*.coverage.*.lines.*",
  // coverage.json of coverage.py.
  "$.files.*.executed_lines.*",
  "$.files.*.missing_lines.*",
];

const STATEMENTS = 300_000;

/** The JSON formats, told apart by what stands in them. */
export function jsonParser(table: LineTable): CoverageParser {
  const statements = statementReader(table);
  const summary = summaryReader(table);
  const reader = jsonReader(PATHS, ({ value, key, keys }) => {
    const [first = "", second, third = "", fourth] = keys;
    const number = typeof value === "number" ? value : Number.NaN;
    if (fourth === "start") statements.line(String(first), String(third), number);
    else if (second === "s") statements.hits(String(first), String(key), number);
    else if (fourth === "lines") {
      if (value !== null) table.file(String(third)).line(Number(key) + 1, number > 0);
    } else if (third === "executed_lines" || third === "missing_lines") {
      table.file(String(second)).line(number, third === "executed_lines");
    } else if (second === "lines") summary.value(String(first), String(key), number);
  });

  return {
    write: reader.write,
    end() {
      const problem = reader.end();
      if (problem !== null) throw new Error(problem);
      statements.end();
      summary.end();
    },
  };
}

/** A line is hit when a statement that starts there was; both parts of a file are held until it is complete. */
function statementReader(table: LineTable) {
  let file = "";
  let lines = new Map<string, number>();
  let counts = new Map<string, number>();
  const end = () => {
    const found = table.file(file);
    for (const [id, line] of lines) found.line(line, (counts.get(id) ?? 0) > 0);
    lines = new Map();
    counts = new Map();
  };
  const enter = (name: string) => {
    if (name === file) return;
    if (lines.size > 0) end();
    file = name;
  };
  const keep = (map: Map<string, number>, id: string, value: number) => {
    map.set(id, value);
    if (map.size > STATEMENTS) throw new Error("a file in it has too many statements");
  };
  return {
    line(name: string, id: string, line: number) {
      enter(name);
      keep(lines, id, line);
    },
    hits(name: string, id: string, count: number) {
      enter(name);
      keep(counts, id, count);
    },
    end() {
      if (lines.size > 0) end();
    },
  };
}

/** `total` stands among the files, by that name. */
function summaryReader(table: LineTable) {
  let file = "";
  let total = 0;
  let covered = 0;
  const end = () => {
    if (file !== "" && file !== "total" && total > 0) table.file(file).counts(total, covered);
    total = 0;
    covered = 0;
  };
  return {
    value(name: string, key: string, number: number) {
      if (name !== file) end();
      file = name;
      if (key === "total") total = number;
      if (key === "covered") covered = number;
      if (key === "pct" && name === "total") table.percent(number);
    },
    end,
  };
}
