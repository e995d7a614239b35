import { JSONParser, TokenType } from "@streamparser/json";
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

const DEPTH = 100;
/** Bytes of one text or number. */
const TOKEN = 16 * 1024 * 1024;
const STATEMENTS = 300_000;

/** The JSON formats, told apart by what stands in them. */
export function jsonParser(table: LineTable): CoverageParser {
  const parser = new JSONParser({ paths: PATHS, keepStack: false });
  const statements = statementReader(table);
  const summary = summaryReader(table);
  let depth = 0;
  let pending = 0;
  let seen = 0;

  parser.onToken = ({ token }) => {
    seen += 1;
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1;
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1;
    if (depth > DEPTH) throw new Error("it is nested too deeply");
  };
  parser.onValue = ({ value, key, stack }) => {
    const [first = "", second, third = "", fourth] = stack.slice(1).map((one) => one.key);
    const number = typeof value === "number" ? value : Number.NaN;
    if (fourth === "start") statements.line(String(first), String(third), number);
    else if (second === "s") statements.hits(String(first), String(key), number);
    else if (fourth === "lines") {
      if (value !== null) table.file(String(third)).line(Number(key) + 1, number > 0);
    } else if (third === "executed_lines" || third === "missing_lines") {
      table.file(String(second)).line(number, third === "executed_lines");
    } else if (second === "lines") summary.value(String(first), String(key), number);
  };

  return {
    write(chunk) {
      const before = seen;
      if (!parser.isEnded) parser.write(chunk);
      else if (chunk.toString().trim() !== "") throw new Error("something follows its end");
      pending = seen === before ? pending + chunk.length : 0;
      if (pending > TOKEN) throw new Error("a text in it is too long");
    },
    end() {
      if (!parser.isEnded) throw new Error("it is cut off");
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
