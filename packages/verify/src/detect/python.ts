import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Folder } from "./folder.ts";
import type { Detector, Suite } from "./suite.ts";

const PYTEST_FILE = /(^|\/)(test_[^/]*|[^/]*_test)\.py$/;
/** Only these does unittest find by itself. */
const UNITTEST_FILE = /(^|\/)test[^/]*\.py$/;
/** More folders than these hold tests for something else as well. */
const UNITTEST_FOLDERS = 8;

/** Files that may name or configure pytest, and what they say then. */
const EVIDENCE: readonly [string, RegExp][] = [
  ["pytest.ini", /(?:)/],
  ["pyproject.toml", /pytest/],
  ["tox.ini", /^\[pytest\]|\bpytest\b/m],
  ["setup.cfg", /^\[tool:pytest\]|\bpytest\b/m],
  ["setup.py", /\bpytest\b/],
  ["Pipfile", /^pytest\b/m],
  ["conftest.py", /(?:)/],
  ["requirements.txt", /^pytest\b/m],
  ["requirements-dev.txt", /^pytest\b/m],
  ["dev-requirements.txt", /^pytest\b/m],
];

/** pytest, where a file configures, names or imports it and there is a file it would collect; else unittest. */
export const python: Detector = (folder) => {
  for (const [file, pattern] of EVIDENCE) {
    const text = folder.head(file);
    if (text === null || !pattern.test(text)) continue;
    return folder.find(PYTEST_FILE) === null ? [] : [pytest(folder, file)];
  }
  const test = folder.find(PYTEST_FILE, /^\s*(import|from) pytest\b/m);
  return test === null ? unittest(folder) : [pytest(folder, test)];
};

function pytest(folder: Folder, source: string): Suite {
  return { command: `${launcher(folder)}pytest`, source, report: "pytest" };
}

/** One command for each folder that unittest must start from: it only enters packages by itself. */
const unittest: Detector = (folder) => {
  const starts = new Map<string, string>();
  for (const file of folder.matching(UNITTEST_FILE, /^\s*(import|from) unittest\b/m)) {
    const start = startOf(folder, file);
    if (!starts.has(start)) starts.set(start, file);
    if (starts.size > UNITTEST_FOLDERS) return [];
  }
  if (![...starts.keys()].every((start) => /^[\w./-]+$/.test(start))) return [];
  const program = `${launcher(folder) || "python3 "}`.replace(/run $/, "run python ");
  return [...starts].map(([start, source]) => ({
    command: `${program}-m unittest${start === "." ? "" : ` discover -s ${start}`}`,
    source,
    report: "unittest",
  }));
};

/** The folder above the outermost package that holds the file. */
function startOf({ path }: Folder, file: string): string {
  let start = dirname(file);
  while (start !== "." && existsSync(join(path, start, "__init__.py"))) start = dirname(start);
  return start;
}

function launcher(folder: Folder): string {
  if (folder.first(["uv.lock"])) return "uv run ";
  return folder.first(["poetry.lock"]) ? "poetry run " : "";
}
