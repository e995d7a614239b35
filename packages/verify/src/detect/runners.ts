import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { VerifyPlan } from "@ccw-loop/core";
import { filesUnder } from "../files/walk.ts";
import { type PackageJson, readPackage } from "./scripts.ts";

const READ = 64 * 1024;

/** Looks at one ecosystem; null when its tests are not here. */
export type Detector = (cwd: string) => Promise<VerifyPlan | null>;

/** A runner that the package names or configures, although it has no test script. */
export const javascript: Detector = async (cwd) => {
  const found = readPackage(cwd);
  const uses = (runner: string) => found !== undefined && dependsOn(found, runner);
  const configs = (name: string) =>
    ["ts", "mts", "cts", "js", "mjs", "cjs", "json"]
      .map((extension) => `${name}.config.${extension}`)
      .find((file) => existsSync(join(cwd, file)));
  const vitest = configs("vitest") ?? (uses("vitest") ? "package.json" : undefined);
  if (vitest) return { command: "vitest run", source: vitest, report: "vitest" };
  const jest = configs("jest") ?? (uses("jest") ? "package.json" : undefined);
  if (jest) return { command: "jest", source: jest, report: "jest" };
  const pattern = /[.-]test\.[cm]?[jt]s$|(^|\/)test\/.*\.[cm]?[jt]s$/;
  const test = await findFile(cwd, pattern, /["']node:test["']/);
  return test === null ? null : { command: "node --test", source: test, report: "node-test" };
};

/** pytest, where a file configures or names it and there is a file it would collect. */
export const python: Detector = async (cwd) => {
  const evidence: readonly [string, RegExp][] = [
    ["pytest.ini", /(?:)/],
    ["pyproject.toml", /pytest/],
    ["tox.ini", /^\[pytest\]|\bpytest\b/m],
    ["setup.cfg", /^\[tool:pytest\]|\bpytest\b/m],
    ["conftest.py", /(?:)/],
    ["requirements.txt", /^pytest\b/m],
    ["requirements-dev.txt", /^pytest\b/m],
    ["dev-requirements.txt", /^pytest\b/m],
  ];
  for (const [file, pattern] of evidence) {
    const text = await head(join(cwd, file));
    if (text === null || !pattern.test(text)) continue;
    if (!(await findFile(cwd, /(^|\/)(test_[^/]*|[^/]*_test)\.py$/))) return null;
    return { command: pytestCommand(cwd), source: file, report: "pytest" };
  }
  return null;
};

export const go: Detector = async (cwd) => {
  if (!existsSync(join(cwd, "go.mod")) || !(await findFile(cwd, /_test\.go$/))) return null;
  return { command: "go test ./...", source: "go.mod", report: "go" };
};

/** Judged by the exit code: cargo's stable test harness writes no report. */
export const cargo: Detector = async (cwd) => {
  if (!existsSync(join(cwd, "Cargo.toml"))) return null;
  const test = await findFile(cwd, /\.rs$/, /#\[(\w+::)*test\b|#\[cfg\(test\)\]|#\[rstest\b/);
  return test === null
    ? null
    : { command: "cargo test", source: "Cargo.toml", report: "exit-code" };
};

const JVM_TEST = /(^|\/)src\/[A-Za-z]*[tT]est\/.*\.(java|kt|scala|groovy)$/;

export const maven: Detector = async (cwd) => {
  if (!existsSync(join(cwd, "pom.xml")) || !(await findFile(cwd, JVM_TEST))) return null;
  const program = existsSync(join(cwd, "mvnw")) ? "./mvnw" : "mvn";
  return { command: `${program} -B test`, source: "pom.xml", report: "maven" };
};

export const gradle: Detector = async (cwd) => {
  const source = [
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
  ].find((file) => existsSync(join(cwd, file)));
  if (source === undefined || !(await findFile(cwd, JVM_TEST))) return null;
  const program = existsSync(join(cwd, "gradlew")) ? "./gradlew" : "gradle";
  // Without cleanTest Gradle skips tests that are up to date, and there is no fresh report.
  return { command: `${program} cleanTest test`, source, report: "gradle" };
};

function dependsOn({ dependencies, devDependencies }: PackageJson, name: string): boolean {
  return name in dependencies || name in devDependencies;
}

function pytestCommand(cwd: string): string {
  if (existsSync(join(cwd, "uv.lock"))) return "uv run pytest";
  if (existsSync(join(cwd, "poetry.lock"))) return "poetry run pytest";
  return "pytest";
}

/** The first file whose path fits, and whose beginning holds `content` where that is given. */
async function findFile(cwd: string, path: RegExp, content?: RegExp): Promise<string | null> {
  for await (const file of filesUnder(cwd)) {
    if (!path.test(file)) continue;
    if (!content || content.test((await head(join(cwd, file))) ?? "")) return file;
  }
  return null;
}

async function head(file: string): Promise<string | null> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(READ) });
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return null;
  }
}
