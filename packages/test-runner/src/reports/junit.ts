import { type Attributes, xmlReader } from "../stream-readers.ts";
import type { Collector, ReportParser } from "./collector.ts";

/** Characters of a failure's text that are held while its element is open. */
const TEXT_HELD = 16 * 1024;
/** Bun names the groups around a test from the inside out, and not its file. */
const BUN = "bun test";
const UNLOADED = "collection failure";

interface OpenCase {
  suite: string;
  name: string;
  seconds: number;
  outcome: "passed" | "failed" | "skipped";
  message: string;
  text: string;
}

/** JUnit XML in the dialects of pytest, surefire, Gradle, PHPUnit, nextest, Playwright, Bun, jest-junit and others. */
export function junitParser(collector: Collector): ReportParser {
  const suites: string[] = [];
  let open: OpenCase | null = null;
  let inFailure = false;
  let bySuites = false;
  const declared = { failures: 0, suite: 0 };
  /** Cases that a suite may have counted as failures or errors. */
  let named = 0;

  const reader = xmlReader({
    open: opened,
    close: closed,
    text(value) {
      if (open && inFailure && open.text.length < TEXT_HELD) open.text += value.slice(0, TEXT_HELD);
    },
  });

  function opened(name: string, at: Attributes, depth: number): void {
    if (depth === 1) bySuites = at.name === BUN;
    if (name === "testsuite" || name === "testsuites") {
      if (name === "testsuite") suites.push(at.name ?? "");
      const failures = count(at.failures) + count(at.errors);
      if (depth === 1) declared.failures = failures;
      else if (suites.length === 1) declared.suite += failures;
    } else if (name === "testcase") {
      const around = suites.filter(Boolean).join(" > ");
      const suite = bySuites ? around : at.classname || at.file || around;
      const seconds = Number(at.time?.replaceAll(",", "") ?? 0);
      // What GoogleTest and ctest say of a test that is there but was left out.
      const outcome = /^(disabled|notrun)$/.test(at.status ?? "") ? "skipped" : "passed";
      open = { suite, name: at.name ?? "", seconds, outcome, message: "", text: "" };
    } else if (name === "failure" || name === "error") {
      fail(at);
    } else if (open?.outcome === "passed" && (name === "skipped" || name === "warning")) {
      open.outcome = "skipped";
    }
  }

  function fail(at: Attributes): void {
    named += 1;
    if (!open) collector.addUnnamedFailure(`a suite failed: ${at.message ?? ""}`);
    else if (!isRisky(at)) {
      // pytest's word for a module that cannot be imported; it is called like its test.
      if (at.message === UNLOADED) Object.assign(open, { suite: open.name, name: "(file)" });
      open.outcome = "failed";
      open.message ||= at.message ?? "";
      inFailure = true;
    } else if (open.outcome === "passed") open.outcome = "skipped";
  }

  function closed(name: string): void {
    if (name === "testsuite") suites.pop();
    if (name === "failure" || name === "error") inFailure = false;
    if (name !== "testcase" || !open) return;
    const { suite, outcome, message, text: stack } = open;
    collector.add({
      suite,
      name: open.name,
      status: outcome,
      durationMs: open.seconds * 1000,
      message: message || messageOf(stack, open.name),
      stack: stack.trim(),
    });
    open = null;
  }

  const isJunit = () => /^testsuites?$/.test(reader.root());
  return {
    write: reader.write,
    seen: isJunit,
    isOver: () => reader.isOver() || (reader.root() !== "" && !isJunit()),
    end() {
      const problem = reader.end();
      const promised = Math.max(declared.failures, declared.suite);
      if (named === 0 && promised > 0) {
        collector.addUnnamedFailure(
          `its suites count ${promised} failures but no test case has one`,
        );
      }
      return problem ?? (isJunit() ? null : `it is not JUnit XML but <${reader.root()}>`);
    },
  };
}

/** The first line that says more than the test's own name, with which PHPUnit begins. */
function messageOf(text: string, name: string): string {
  const [first = "", second = ""] = text.trim().split("\n", 2);
  return (first.includes(`::${name}`) && second ? second : first).slice(0, 500);
}

/** A test without an assertion: PHPUnit calls it an error here, but lets the run pass. It proves nothing. */
function isRisky({ type = "" }: Attributes): boolean {
  return /^PHPUnit\\.*Risky/.test(type);
}

function count(attribute: string | undefined): number {
  const value = Number(attribute ?? 0);
  return Number.isFinite(value) ? value : 0;
}
