import sax, { type SAXParser, type Tag } from "sax";
import type { Collector } from "./collector.ts";
import type { ReportParser } from "./parser.ts";

/** The longest attribute that is read; under CI pytest puts whole diffs into `message`. */
Object.assign(sax, { MAX_BUFFER_LENGTH: 1024 * 1024 });

const DEPTH = 100;
const ATTRIBUTES = 1000;
/** Characters of a failure's text that are held while its element is open. */
const TEXT_HELD = 16 * 1024;

interface OpenCase {
  suite: string;
  name: string;
  seconds: number;
  outcome: "passed" | "failed" | "skipped";
  message: string;
  text: string;
}

/**
 * JUnit XML in the dialects of pytest, surefire, Gradle, jest-junit, vitest and others. A document type with
 * declarations is refused and no entity but XML's own five is ever replaced.
 */
export function junitParser(collector: Collector): ReportParser {
  const parser: SAXParser = sax.parser(true, { strictEntities: true } as sax.SAXOptions);
  const decoder = new TextDecoder();
  const suites: string[] = [];
  let open: OpenCase | null = null;
  let inFailure = false;
  let depth = 0;
  let attributes = 0;
  let problem: string | null = null;
  let root = "";
  const declared = { failures: 0, suite: 0 };
  let failed = 0;

  const refuse = (words: string) => {
    problem ??= words;
    throw new Error(words);
  };

  parser.onerror = (error) => {
    // Terminal colours arrive as references to characters that XML forbids; they are no damage.
    if (!error.message.startsWith("Invalid character entity")) refuse(firstLine(error.message));
    Object.assign(parser, { error: null });
  };
  parser.ondoctype = (text) => {
    if (text.includes("[")) refuse("it declares its own document type");
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > ATTRIBUTES) refuse("an element has too many attributes");
  };
  parser.onopentag = (tag) => {
    attributes = 0;
    depth += 1;
    if (depth > DEPTH) refuse("its elements are nested too deeply");
    opened(tag as Tag);
  };
  parser.onclosetag = (name) => {
    depth -= 1;
    closed(name);
  };
  const text = (value: string) => {
    if (open && inFailure && open.text.length < TEXT_HELD) open.text += value.slice(0, TEXT_HELD);
  };
  parser.ontext = text;
  parser.oncdata = text;

  function opened({ name, attributes: at }: Tag): void {
    root ||= name;
    if (name === "testsuite" || name === "testsuites") {
      if (name === "testsuite") suites.push(at.name ?? "");
      const failures = count(at.failures) + count(at.errors);
      if (depth === 1) declared.failures = failures;
      else if (suites.length === 1) declared.suite += failures;
    } else if (name === "testcase") {
      const suite = at.classname ?? at.file ?? suites.filter(Boolean).join(" > ");
      const seconds = Number(at.time?.replaceAll(",", "") ?? 0);
      open = { suite, name: at.name ?? "", seconds, outcome: "passed", message: "", text: "" };
    } else if (open && (name === "failure" || name === "error")) {
      open.outcome = "failed";
      open.message ||= at.message ?? "";
      inFailure = true;
    } else if (open?.outcome === "passed" && name === "skipped") {
      open.outcome = "skipped";
    }
  }

  function closed(name: string): void {
    if (name === "testsuite") suites.pop();
    if (name === "failure" || name === "error") inFailure = false;
    if (name !== "testcase" || !open) return;
    const { suite, outcome, message, text: stack } = open;
    if (outcome === "failed") failed += 1;
    collector.add({
      suite,
      name: open.name,
      status: outcome,
      durationMs: open.seconds * 1000,
      message: message || firstLine(stack.trim()),
      stack: stack.trim(),
    });
    open = null;
  }

  const feed = (action: () => void) => {
    if (problem !== null) return;
    try {
      action();
    } catch (error) {
      problem ??= firstLine(error instanceof Error ? error.message : String(error));
    }
  };

  return {
    write: (chunk) => feed(() => parser.write(decoder.decode(chunk, { stream: true }))),
    end() {
      feed(() => parser.write(decoder.decode()).close());
      if (problem === null && root !== "testsuites" && root !== "testsuite") {
        problem = `it is not JUnit XML but <${root}>`;
      }
      const named = Math.max(declared.failures, declared.suite);
      if (failed === 0 && named > 0) {
        collector.addUnnamedFailure(`its suites count ${named} failures but no test case has one`);
      }
      return problem;
    },
  };
}

function count(attribute: string | undefined): number {
  const value = Number(attribute ?? 0);
  return Number.isFinite(value) ? value : 0;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]?.slice(0, 500) ?? "";
}
