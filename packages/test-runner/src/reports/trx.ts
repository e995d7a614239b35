import type { TestResult } from "@ccw-loop/core";
import { type Attributes, xmlReader } from "../stream-readers.ts";
import { type Collector, FAILED_KEPT, OTHERS_KEPT, type ReportParser } from "./collector.ts";

/** Characters of one failure's message and stack, and of all of them together, that are held to the end. */
const TEXT_HELD = 8 * 1024;
const TEXT_BUDGET = 4 * 1024 * 1024;
/** Classes that are held where they come before the results. */
const CLASSES_HELD = 20_000;

interface Held {
  id: string;
  name: string;
  status: TestResult["status"];
  durationMs: number;
  message: string;
  stack: string;
  /** Rows of a data-driven test stand inside it and count instead of it. */
  rows: number;
}

/**
 * The TRX report of `dotnet test`. It names the class of a test in another place than its result, so results are
 * held until the end, as many as are kept with their names.
 */
export function trxParser(collector: Collector): ReportParser {
  const open: Held[] = [];
  const held: Held[] = [];
  const wanted = new Set<string>();
  const classes = new Map<string, string>();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let text = 0;
  let definition = "";
  let summary = "";
  let declaredFailures = 0;
  let aborted = "";
  const path: string[] = [];

  const reader = xmlReader({
    open(name, at) {
      path.push(name);
      if (name === "UnitTestResult") open.push(resultOf(at));
      else if (name === "UnitTest") definition = at.id ?? "";
      else if (name === "TestMethod" && isWanted(definition)) {
        classes.set(definition, at.className?.split(",", 1)[0] ?? "");
      } else if (name === "ResultSummary") summary = at.outcome ?? "";
      else if (name === "Counters") declaredFailures = failuresOf(at);
    },
    close(name) {
      path.pop();
      if (name === "UnitTestResult") finish(open.pop());
    },
    text(value) {
      const [outer, inner] = path.slice(-2);
      const result = open.at(-1);
      if (result && outer === "ErrorInfo" && text < TEXT_BUDGET) {
        const field = inner === "Message" ? "message" : "stack";
        const more = value.slice(0, TEXT_HELD - result[field].length);
        result[field] += more;
        text += more.length;
      }
      if (outer === "RunInfo" && /\babort|\bcrash/i.test(value)) aborted ||= value.slice(0, 200);
    },
  });

  function isWanted(id: string): boolean {
    return wanted.size === 0 ? classes.size < CLASSES_HELD : wanted.has(id);
  }

  function finish(result: Held | undefined): void {
    if (!result) return;
    const parent = open.at(-1);
    if (parent) parent.rows += 1;
    if (result.rows > 0) return;
    const limit = result.status === "failed" ? FAILED_KEPT : OTHERS_KEPT;
    const before = result.status === "failed" ? counts.failed : counts.passed + counts.skipped;
    counts[result.status] += 1;
    if (before < limit) {
      wanted.add(result.id);
      held.push(result);
    } else collector.count(result.status);
  }

  return {
    write: reader.write,
    end() {
      const problem = reader.end();
      for (const { id, name, ...rest } of held) {
        const suite = classes.get(id) ?? "";
        const own = name.startsWith(`${suite}.`) ? name.slice(suite.length + 1) : name;
        collector.add({ ...rest, suite, name: own });
      }
      if (problem !== null) return problem;
      if (reader.root() !== "TestRun") return `it is no TRX but <${reader.root()}>`;
      if (aborted !== "") return `the run was aborted (${aborted.trim()})`;
      if (
        counts.failed === 0 &&
        (declaredFailures > 0 || /^(Failed|Error|Aborted)/.test(summary))
      ) {
        collector.addUnnamedFailure(`its summary says "${summary}" but names no failed test`);
      }
      return summary === "" ? "it has no summary" : null;
    },
  };
}

function resultOf(at: Attributes): Held {
  return {
    id: at.testId ?? "",
    name: at.testName ?? "",
    status: statusOf(at.outcome ?? ""),
    durationMs: durationOf(at.duration ?? ""),
    message: "",
    stack: "",
    rows: 0,
  };
}

/** No outcome at all is the format's way to write its first one, an error. */
function statusOf(outcome: string): TestResult["status"] {
  if (outcome === "Passed") return "passed";
  return /^(NotExecuted|Inconclusive|Pending|Warning)$/.test(outcome) ? "skipped" : "failed";
}

/** `00:01:02.5` in milliseconds. */
function durationOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
  return Math.round(((hours * 60 + minutes) * 60 + seconds) * 1000 * 1000) / 1000;
}

function failuresOf(at: Attributes): number {
  const sum = ["failed", "error", "timeout", "aborted"].map((name) => Number(at[name] ?? 0));
  return sum.reduce((total, one) => total + (Number.isFinite(one) ? one : 0), 0);
}
