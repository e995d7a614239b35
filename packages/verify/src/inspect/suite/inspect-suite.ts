import type { FileVersions } from "@ccw-loop/core";
import { languageOf } from "../code/languages.ts";
import { type Finding, quoted } from "../finding.ts";
import { compareTestFile, type FileReport, findingOf } from "./compare-file.ts";
import { compareLines } from "./compare-lines.ts";
import { inspectData, unseen } from "./data.ts";
import { type Named, pairMoves } from "./moves.ts";
import type { Project } from "./own.ts";
import { bodyOf } from "./pair.ts";
import { type Block, readTestFile, type TestFile } from "./test-file.ts";
import {
  conventionOf,
  hasInlineTests,
  isTestCode,
  isTestData,
  looksLikeTests,
} from "./test-paths.ts";

/** A test file that was changed, moved, or (`after` is null) deleted. */
interface TestChange {
  path: string;
  before: TestFile | null;
  after: TestFile | null;
  report: FileReport;
}

/** What the changes of test code, and of the files that tests compare with, say against the proof. */
export function inspectTests(changes: readonly FileVersions[], project: Project): Finding[] {
  const code = changes.filter(isTestChange);
  const moved = new Map<string, string>();
  for (const [old, now] of pairMoves(named(code, "before"), named(code, "after")))
    moved.set(now, old);
  const textBefore = new Map(code.map(({ path, before }) => [path, before]));
  const movedAway = new Set(moved.values());
  const findings: Finding[] = changes.flatMap((change) => inspectTestData(change, changes));
  const tests: TestChange[] = [];
  for (const { path, before: own, after } of code) {
    if (movedAway.has(path)) continue;
    const before = textBefore.get(moved.get(path) ?? path) ?? own;
    if (before === undefined || (after === undefined && before !== null)) {
      const message = unseen("A test file");
      findings.push({
        kind: "loosened",
        path,
        line: null,
        removed: [],
        added: [],
        identity: "unseen",
        message,
      });
    } else if (after !== undefined) {
      const language = languageOf(path);
      if (language?.layout === "lines") findings.push(...linesOf(path, before, after));
      else if (language) tests.push(changeOf(path, before, after, project));
    }
  }
  const pool = poolOf(tests);
  return [
    ...findings,
    ...tests.flatMap((test) => [...test.report.findings, ...goneFrom(test, pool)]),
  ];
}

function isTestChange({ path, before, after }: FileVersions): boolean {
  if (isTestData(path) || languageOf(path) === undefined) return false;
  if (isTestCode(path)) return true;
  const text = before ?? after;
  return typeof text === "string" && (looksLikeTests(text) || hasInlineTests(text));
}

/** Files that are on one side only. */
function named(changes: readonly FileVersions[], side: "before" | "after"): Named[] {
  const other = side === "before" ? "after" : "before";
  return changes.flatMap((change) => {
    const text = change[side];
    return change[other] === null && typeof text === "string" ? [{ path: change.path, text }] : [];
  });
}

function inspectTestData(change: FileVersions, changes: readonly FileVersions[]): Finding[] {
  if (!isTestData(change.path)) return [];
  const isMoved =
    change.after === null &&
    typeof change.before === "string" &&
    changes.some(({ before, after }) => before === null && after === change.before);
  return isMoved ? [] : inspectData(change);
}

function linesOf(path: string, before: string | null, after: string | null): Finding[] {
  if (before !== null && after !== null) return compareLines(path, before, after);
  return before === null ? [] : [deletion(path, [])];
}

function deletion(path: string, tests: readonly string[]): Finding {
  const names = tests.slice(0, 5).map(quoted).join(", ");
  const more = tests.length > 5 ? ` and ${tests.length - 5} more` : "";
  const message =
    tests.length === 0
      ? "A file of the tests was deleted, or moved to where it does not run."
      : `The test file was deleted, or moved to where it does not run: ${names}${more}.`;
  return {
    kind: "deleted",
    path,
    line: null,
    removed: [],
    added: [],
    identity: tests.join("\n"),
    message,
  };
}

function changeOf(
  path: string,
  before: string | null,
  after: string | null,
  project: Project,
): TestChange {
  const language = languageOf(path) as NonNullable<ReturnType<typeof languageOf>>;
  const inline = !isTestCode(path) && !looksLikeTests(before ?? after ?? "");
  const old = before === null ? null : readTestFile(before, language, inline);
  if (after !== null) {
    const now = readTestFile(after, language, inline);
    return { path, before: old, after: now, report: compareTestFile(path, old, now, project) };
  }
  const missing = { tests: old?.tests ?? [], helpers: old?.helpers ?? [] };
  const report = { findings: [], missing, fresh: { tests: [], helpers: [] } };
  return { path, before: old, after: null, report };
}

/** Tests and helpers that are new in any file, by what they do. */
function poolOf(tests: readonly TestChange[]): Map<string, number> {
  const pool = new Map<string, number>();
  for (const { path, report } of tests) {
    for (const block of [...report.fresh.tests, ...report.fresh.helpers]) {
      const key = placeOf(path, block);
      pool.set(key, (pool.get(key) ?? 0) + 1);
    }
  }
  return pool;
}

const VISIBILITY =
  /\b(?:export (?:default )?|pub(?:\([^)]*\))? |public |static |internal |private )/g;

/** A test counts as moved only to where it is found by the same rule; a helper may go anywhere. */
function placeOf(path: string, block: Block): string {
  return `${block.isTest ? conventionOf(path) : ""}\n${bodyOf(block).replaceAll(VISIBILITY, "")}`;
}

/** What is gone from a file and came nowhere else. */
function goneFrom(
  { path, before, after, report }: TestChange,
  pool: Map<string, number>,
): Finding[] {
  if (!before) return [];
  const isGone = (block: Block) => {
    const key = placeOf(path, block);
    const left = pool.get(key) ?? 0;
    if (left > 0) pool.set(key, left - 1);
    return left === 0;
  };
  const tests = report.missing.tests.filter(isGone);
  const helpers = report.missing.helpers.filter(isGone);
  if (!after) {
    const names = tests.map(({ name }) => name);
    return tests.length + helpers.length > 0 ? [deletion(path, names)] : [];
  }
  const finding = (block: Block, kind: "deleted" | "loosened", message: string) =>
    findingOf(
      path,
      before,
      after,
      { kind, removed: block.parts, added: [] },
      { identity: block.id, message },
    );
  return [
    ...tests.map((test) => finding(test, "deleted", `The test ${quoted(test.name)} was deleted.`)),
    ...helpers.map((helper) =>
      finding(
        helper,
        "loosened",
        `The code around the tests, ${quoted(helper.name)}, was removed or changed.`,
      ),
    ),
  ];
}
