import type { FileVersions } from "@ccw-loop/core";
import type { Finding } from "../finding.ts";
import { linesFor } from "../reach/make.ts";
import type { Reach } from "../reach/reach.ts";
import { isFixture, isTestCode } from "../suite/test-paths.ts";
import { compareConfig } from "./compare-config.ts";
import { inspectConftest, isConftest } from "./conftest.ts";
import { lines, program, type Reader, statements, toml, yaml } from "./entries.ts";
import { inspectPackage, redirections } from "./package-json.ts";
import { configRule } from "./rules.ts";

/** What the test command starts, before and after the changes taken together. */
export type Reached = Reach;

export interface ConfigContext {
  reached: Reached;
  /** Whether a test that was there before uses a name. */
  isUsed: (name: string) => boolean;
}

/** Whether a file is looked at as configuration or script, and not as a test. */
export function isConfiguration(path: string, reached: Reached): boolean {
  if (isConftest(path) || isScript(path, reached)) return true;
  return !isFixture(path) && configRule(path, reached.commands) !== undefined;
}

/** What a changed configuration or script of the tests says against the proof. */
export function inspectConfig(change: FileVersions, { reached, isUsed }: ConfigContext): Finding[] {
  const { path } = change;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (isFixture(path) && !reached.files.has(path)) return [];
  if (isConftest(path)) return inspectConftest(change, isUsed);
  const rule = configRule(path, reached.commands);
  const findings = rule ? compareConfig(change, rule) : [];
  if (/^(?:package|composer|deno)\.json$/.test(name)) {
    const called = new Set([
      ...(reached.scripts.get(path) ?? []),
      ...(reached.scripts.get("*") ?? []),
    ]);
    findings.push(...inspectPackage(change, called, reached.commands));
  } else if (/^[jt]sconfig[^/]*\.json$/.test(name)) {
    findings.push(...redirections(change, /^compilerOptions\.(?:paths|baseUrl)\b/));
  } else if (name === "pyproject.toml") {
    findings.push(...compareConfig(change, { read: tasksIn(reached.commands) }, "script"));
  } else if (!rule && isScript(path, reached)) {
    findings.push(...compareConfig(change, { read: readerOfScript(path) }, "script"));
  } else if (!rule && reached.targets.has(folderOf(path))) {
    const targets = [...(reached.targets.get(folderOf(path)) ?? [])]
      .flatMap((one) => one.split(" "))
      .filter(Boolean);
    const read = readerOfTargets(name, targets);
    if (read) findings.push(...compareConfig(change, { read }, "script"));
  }
  return findings;
}

function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

/** A program that the test command names; not the tests, nor the sources of the project. */
function isScript(path: string, { files }: Reached): boolean {
  if (!files.has(path) || isTestCode(path)) return false;
  if (/(?:^|\/)(?:package\.json|[^/]*\.(?:md|lock))$/.test(path)) return false;
  const isSource = /^(?:(?:packages|apps|crates|modules)\/[^/]+\/)?(?:src|lib|app)\//.test(path);
  return (
    !isSource || /test|check|verify|spec|suite|runner/i.test(path.slice(path.lastIndexOf("/") + 1))
  );
}

function readerOfScript(path: string): Reader {
  return statements(path);
}

/** Task scripts of Python tools, under the names that are called. */
const TASKS =
  /^tool\.(?:pdm\.scripts|poe\.tasks|taskipy\.tasks|pixi\.tasks|rye\.scripts|hatch\.envs\.[^.]+\.scripts|hatch\.scripts)\.([^.[]+)/;

function tasksIn(commands: string): Reader {
  const words = new Set(commands.split(/[^\w:-]+/));
  return (text) => {
    const tasks = toml(text)?.filter(({ path }) => TASKS.test(path));
    const nameOf = (path: string) => (TASKS.exec(path)?.[1] ?? "").replace(/^(?:pre|post)_/, "");
    const called = tasks?.filter(({ path }) => words.has(nameOf(path))) ?? [];
    const inner = new Set(called.flatMap(({ value }) => value.split(/[^\w:-]+/)));
    return tasks?.filter(({ path }) => words.has(nameOf(path)) || inner.has(nameOf(path))) ?? null;
  };
}

function readerOfTargets(name: string, targets: readonly string[]): Reader | undefined {
  if (/^(?:GNUmakefile|makefile|\.?justfile)$/i.test(name)) {
    return (text) => linesFor(text, targets).map(({ value, line }) => ({ path: "", value, line }));
  }
  if (/^Taskfile\.ya?ml$/.test(name)) return yaml;
  if (/^Rakefile$|\.rake$/.test(name)) return program(name);
  return /\.mk$/.test(name) ? lines : undefined;
}
