import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Detector, findFile, findFiles, firstFile, headOf } from "./detector.ts";
import { chainOf, planOf } from "./plan.ts";

const PYTEST_FILE = /(^|\/)(test_[^/]*|[^/]*_test)\.py$/;
/** Only these does unittest find by itself. */
const UNITTEST_FILE = /(^|\/)test[^/]*\.py$/;
/** More folders than these hold tests for something else as well. */
const FOLDERS = 8;

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
export const python: Detector = async (cwd) => {
  for (const [file, pattern] of EVIDENCE) {
    const text = await headOf(join(cwd, file));
    if (text === null || !pattern.test(text)) continue;
    return (await findFile(cwd, PYTEST_FILE)) ? pytest(cwd, file) : null;
  }
  const test = await findFile(cwd, PYTEST_FILE, /^\s*(import|from) pytest\b/m);
  return test === null ? unittest(cwd) : pytest(cwd, test);
};

function pytest(cwd: string, source: string) {
  return planOf(`${launcher(cwd)}pytest`, source, "pytest");
}

/** One command for each folder that unittest must start from: it only enters packages by itself. */
const unittest: Detector = async (cwd) => {
  const folders = new Map<string, string>();
  for await (const file of findFiles(cwd, UNITTEST_FILE, /^\s*(import|from) unittest\b/m)) {
    const folder = startOf(cwd, file);
    if (!folders.has(folder)) folders.set(folder, file);
    if (folders.size > FOLDERS) return null;
  }
  const [source] = folders.values();
  if (source === undefined) return null;
  const program = `${launcher(cwd) || "python3 "}`.replace(/run $/, "run python ");
  const commands = [...folders.keys()].map((folder) =>
    folder === "." ? `${program}-m unittest` : `${program}-m unittest discover -s ${folder}`,
  );
  const plain = [...folders.keys()].every((folder) => /^[\w./-]+$/.test(folder));
  return plain ? chainOf(commands, source, "unittest") : null;
};

/** The folder above the outermost package that holds the file. */
function startOf(cwd: string, file: string): string {
  let folder = dirname(file);
  while (folder !== "." && existsSync(join(cwd, folder, "__init__.py"))) folder = dirname(folder);
  return folder;
}

function launcher(cwd: string): string {
  if (firstFile(cwd, ["uv.lock"])) return "uv run ";
  return firstFile(cwd, ["poetry.lock"]) ? "poetry run " : "";
}
