import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FileVersions, InspectContext, Objection } from "@ccw-loop/core";
import { filesUnder } from "../files/walk.ts";
import { difference, isOnlyLaidOut } from "./code/plain-lines.ts";
import { inspectConfig, isConfiguration } from "./config/inspect-config.ts";
import { type Finding, objectionOf } from "./finding.ts";
import { inspectIgnored, isIgnoreFile } from "./ignored.ts";
import { inspectInstrumentation } from "./instrumentation.ts";
import { type Reach, type ReadText, reachOf } from "./reach/reach.ts";
import { inspectRunner, isCopy } from "./runner/runner.ts";
import { inspectSource, removedStatements } from "./source/inspect-source.ts";
import { inspectDocTests } from "./suite/doc-tests.ts";
import { inspectTests } from "./suite/inspect-suite.ts";
import { projectIn } from "./suite/own.ts";
import { isTestCode, isTestData } from "./suite/test-paths.ts";

/** What in these changes weakens the proof (ADR 12); see `Verifier` for the contract. */
export async function inspect(
  changes: readonly FileVersions[],
  { cwd, command }: InspectContext,
): Promise<Objection[]> {
  if (changes.length === 0) return [];
  const disk = readerOf(cwd);
  const reached = union(
    reachOf(command, sideOf(changes, "before", disk)),
    reachOf(command, sideOf(changes, "after", disk)),
  );
  const project = await projectIn(
    cwd,
    changes.map(({ path }) => path),
    sideOf(changes, "after", disk),
  );
  const paths = await testPaths(cwd);
  const isUsed = (name: string) => usesName(name, paths, sideOf(changes, "before", disk));
  const code = changes.filter(({ path }) => !isConfiguration(path, reached));
  const source = code.filter(({ path }) => !isTestData(path) && !isTestCode(path) && !isCopy(path));
  const context = {
    moved: removedStatements(source),
    isOwn: project.isOwn,
    covers: /cover|--cov\b|\bnyc\b|\bc8\b|tarpaulin|llvm-cov/.test(reached.commands),
  };
  const doctest = /doctest/.test(reached.commands) || usesDoctest(disk);
  const findings = [
    ...inspectTests(code, project),
    ...changes.flatMap((change) => [
      ...inspectConfig(change, { reached, isUsed }),
      ...inspectRunner(change),
      ...inspectInstrumentation(change),
      ...(isIgnoreFile(change.path)
        ? inspectIgnored(change, [...paths, ...changes.map(({ path }) => path).filter(isTestCode)])
        : []),
      ...inspectDocTests(change, doctest),
      ...inspectMocks(change),
    ]),
    ...source.flatMap((change) => inspectSource(change, context)),
  ];
  return unique(findings);
}

/** Files whose place makes them mocks. */
function inspectMocks({ path, before, after }: FileVersions): Finding[] {
  if (!/(?:^|\/)__mocks__\//.test(path) || after === null || isOnlyLaidOut(path, before, after))
    return [];
  const message = "A module is replaced by a mock wherever tests import it.";
  return [{ kind: "mocked", path, ...difference(path, before, after), message }];
}

/** Texts larger than this are no scripts. */
const LARGEST_SCRIPT = 1_000_000;

function readerOf(cwd: string): ReadText {
  const known = new Map<string, string | null>();
  const read = (path: string) => {
    try {
      const file = join(cwd, path);
      const stat = statSync(file);
      return stat.isFile() && stat.size <= LARGEST_SCRIPT ? readFileSync(file, "utf8") : null;
    } catch {
      return null;
    }
  };
  return (path) => {
    if (!known.has(path)) known.set(path, read(path));
    return known.get(path) ?? null;
  };
}

/** The project's files before or after the changes. */
function sideOf(
  changes: readonly FileVersions[],
  side: "before" | "after",
  disk: ReadText,
): ReadText {
  const texts = new Map(changes.map((change) => [change.path, change[side]]));
  return (path) => (texts.has(path) ? (texts.get(path) ?? null) : disk(path));
}

function union(a: Reach, b: Reach): Reach {
  const merge = (one: Map<string, Set<string>>, other: Map<string, Set<string>>) => {
    const all = new Map(one);
    for (const [key, values] of other) all.set(key, new Set([...(all.get(key) ?? []), ...values]));
    return all;
  };
  return {
    commands: a.commands + b.commands,
    files: new Set([...a.files, ...b.files]),
    scripts: merge(a.scripts, b.scripts),
    targets: merge(a.targets, b.targets),
  };
}

/** So many test files are looked through. */
const MOST_TESTS = 3000;

async function testPaths(cwd: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of filesUnder(cwd)) {
    if (isTestCode(path)) paths.push(path);
    if (paths.length >= MOST_TESTS) break;
  }
  return paths;
}

/** Whether a Python test that was there before the changes uses a name. */
function usesName(name: string, paths: readonly string[], before: ReadText): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return paths.some((path) => /\.py$/.test(path) && word.test(before(path) ?? ""));
}

function usesDoctest(disk: ReadText): boolean {
  const files = ["pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "conftest.py"];
  return files.some((path) => disk(path)?.includes("doctest"));
}

/** So many objections to one file are told apart; the others become one. */
const MOST_PER_FILE = 25;

/** Findings as objections, each under a key of its own. */
function unique(findings: readonly Finding[]): Objection[] {
  const byPath = Map.groupBy(findings, ({ path }) => path);
  const counts = new Map<string, number>();
  return [...byPath.values()].flatMap(bounded).map((finding) => {
    const objection = objectionOf(finding);
    const count = (counts.get(objection.key) ?? 0) + 1;
    counts.set(objection.key, count);
    return count === 1 ? objection : { ...objection, key: `${objection.key}-${count}` };
  });
}

function bounded(findings: readonly Finding[]): Finding[] {
  const rest = findings.slice(MOST_PER_FILE);
  const [first] = rest;
  if (!first) return [...findings];
  const identity = rest.map((finding) => `${finding.kind} ${finding.identity}`).join("\n\n");
  const message = `${rest.length} more places of this file weaken the tests. ${first.message}`;
  return [...findings.slice(0, MOST_PER_FILE), { ...first, identity, message }];
}
