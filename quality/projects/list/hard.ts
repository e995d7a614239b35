import type { Edit, Group, Project } from "../src/project.ts";

const leap: Edit = {
  file: "years.js",
  right: "year % 100 !== 0 || year % 400 === 0",
  bug: "year % 100 !== 0 || year % 900 === 0",
  wrong: "year % 100 === 0 || year % 400 === 0",
};
const inFile = (file: string): Edit => ({ ...leap, file });

const PACKAGE = '{ "type": "module", "scripts": { "test": "node --test" } }\n';
const SOURCE = `export function leap(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
`;
const testsOf = (source: string, runner = "node:test") => `import assert from "node:assert/strict";
import { test } from "${runner}";
import { leap } from "${source}";

test("every fourth", () => assert.ok(leap(2024)));
test("not every century", () => assert.ok(!leap(1900)));
test("every fourth century", () => assert.ok(leap(2000)));
`;
const SIMPLE = {
  "package.json": PACKAGE,
  "years.js": SOURCE,
  "years.test.js": testsOf("./years.js"),
};

const PYTHON = {
  "pyproject.toml": '[project]\nname = "days"\nversion = "1.0"\n\n[tool.pytest.ini_options]\n',
  "days.py": "def days(leap):\n    return 366 if leap else 365\n",
  "test_days.py": `from days import days


def test_common():
    assert days(False) == 365


def test_leap():
    assert days(True) == 366
`,
};
const days: Edit = {
  file: "days.py",
  right: "366 if leap",
  bug: "367 if leap",
  wrong: "364 if leap",
};

const MONOREPO = {
  ".gitignore": "node_modules\npackage-lock.json\n",
  "package.json":
    '{ "private": true, "workspaces": ["packages/*"], "scripts": { "test": "npm test --workspaces" } }\n',
  "packages/a/package.json":
    '{ "name": "a", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
  "packages/a/src/years.js": SOURCE,
  "packages/a/test/years.test.js": testsOf("../src/years.js"),
  "packages/b/package.json":
    '{ "name": "b", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
  "packages/b/days.js": "export const days = (leap) => (leap ? 366 : 365);\n",
  "packages/b/days.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { days } from "./days.js";

test("every fourth", () => assert.equal(days(true), 366));
`,
};

const VITEST =
  '{ "type": "module", "scripts": { "test": "vitest run" }, "devDependencies": { "vitest": "^3.2.4" } }\n';
const INSTALL = "npm install --no-audit --no-fund --ignore-scripts --loglevel=error";

/** What has gone wrong with such projects, or easily could. */
const projects: Project[] = [
  {
    name: "two-runners-js-red",
    tools: "JavaScript and Python: node --test and pytest, a bug in JavaScript",
    needs: "pytest --version",
    from: { files: { ...SIMPLE, ...PYTHON } },
    test: "npm test && pytest",
    edit: leap,
    readers: ["event-lines", "junit"],
  },
  {
    name: "two-runners-py-red",
    tools: "JavaScript and Python: node --test and pytest, a bug in Python",
    needs: "pytest --version",
    from: { files: { ...SIMPLE, ...PYTHON } },
    test: "npm test && pytest",
    edit: days,
    readers: ["event-lines", "junit"],
  },
  {
    name: "two-runners-vitest",
    tools: "TypeScript and Python: vitest and pytest, a bug in TypeScript",
    needs: "pytest --version",
    from: {
      files: {
        ...PYTHON,
        ".gitignore": "node_modules\n",
        "package.json": VITEST,
        "years.ts": SOURCE.replace("(year)", "(year: number): boolean"),
        "years.test.ts": testsOf("./years.ts", "vitest"),
      },
      setup: [INSTALL],
    },
    test: "npm test && pytest",
    edit: inFile("years.ts"),
    readers: ["jest-json", "junit"],
  },
  {
    name: "equal-names-one-file",
    tools: "JavaScript, node --test: three tests of one name in one file",
    from: {
      files: {
        ...SIMPLE,
        "years.test.js": testsOf("./years.js").replaceAll(/test\("[^"]*"/g, 'test("leap years"'),
      },
    },
    edit: leap,
  },
  {
    name: "equal-names-two-files",
    tools: "JavaScript, node --test: the same names in two files",
    from: {
      files: {
        ...SIMPLE,
        "test/a.test.js": testsOf("../years.js"),
        "test/b.test.js": testsOf("../years.js").replaceAll("leap(", "!!leap("),
      },
    },
    edit: leap,
  },
  {
    name: "equal-names-pytest",
    tools: "Python, pytest: the same names in two folders",
    needs: "pytest --version",
    from: {
      files: {
        ...PYTHON,
        "pyproject.toml": `[project]
name = "days"
version = "1.0"

[tool.pytest.ini_options]
pythonpath = ["."]
addopts = "--import-mode=importlib"
`,
        "a/test_days.py": PYTHON["test_days.py"],
        "b/test_days.py": PYTHON["test_days.py"],
      },
    },
    test: "pytest",
    edit: days,
    readers: ["junit"],
  },
  {
    name: "endless-loop-js",
    tools: "JavaScript, node --test: the wrong repair never ends",
    from: {
      files: {
        "package.json": PACKAGE,
        "sum.js": `export function sum(numbers) {
  let total = 0;
  for (let n = 0; n < numbers.length; n += 1) total += numbers[n];
  return total;
}
`,
        "sum.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { sum } from "./sum.js";

test("nothing", () => assert.equal(sum([]), 0));
test("three", () => assert.equal(sum([1, 2, 3]), 6));
`,
      },
    },
    flags: ["--test-timeout", "30s"],
    edit: {
      file: "sum.js",
      right: "n < numbers.length; n += 1",
      bug: "n < numbers.length; n += 2",
      wrong: "n < numbers.length; n += 0",
    },
  },
  {
    name: "endless-loop-py",
    tools: "Python, pytest: the wrong repair never ends",
    needs: "pytest --version",
    from: {
      files: {
        "pytest.ini": "[pytest]\n",
        "count.py": `def down(number):
    steps = []
    while number > 0:
        steps.append(number % 10)
        number -= 1
    return len(steps)
`,
        "test_count.py": `from count import down


def test_nothing():
    assert down(0) == 0


def test_three():
    assert down(3) == 3
`,
      },
    },
    test: "pytest",
    flags: ["--test-timeout", "30s"],
    edit: { file: "count.py", right: "number -= 1", bug: "number -= 2", wrong: "number -= 0" },
    readers: ["junit"],
  },
  {
    name: "tests-write-files",
    tools:
      "JavaScript, node --test: tests write coverage, a log, a cache and nohup.out into the tree",
    from: {
      files: {
        ...SIMPLE,
        "written.test.js": `import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";

test("leaves files behind", () => {
  mkdirSync("coverage/lcov-report", { recursive: true });
  writeFileSync("coverage/lcov.info", \`TN:\${Date.now()}\\n\`);
  writeFileSync("coverage/lcov-report/index.html", \`\${process.pid}\\n\`);
  mkdirSync(".snapshot-cache", { recursive: true });
  writeFileSync(".snapshot-cache/index.json", JSON.stringify({ at: Date.now() }));
  appendFileSync("test.log", \`\${new Date().toISOString()} run\\n\`);
  appendFileSync("nohup.out", "started\\n");
});
`,
      },
    },
    edit: leap,
  },
  {
    name: "tests-write-new-names",
    tools: "JavaScript, node --test: tests write files under a new name in each run, as nyc does",
    from: {
      files: {
        ...SIMPLE,
        "written.test.js": `import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";

test("leaves a file behind", () => {
  mkdirSync(".output", { recursive: true });
  writeFileSync(\`.output/\${crypto.randomUUID()}.json\`, "{}");
});
`,
      },
    },
    edit: leap,
  },
  {
    name: "tests-write-tracked-log",
    tools: "Python, pytest: a test appends to a log that is committed",
    needs: "pytest --version",
    from: {
      files: {
        ...PYTHON,
        "log/test.log": "first run\n",
        "test_log.py": `import time


def test_log():
    with open("log/test.log", "a") as log:
        log.write(f"run at {time.time()}\\n")
`,
      },
    },
    test: "pytest",
    edit: days,
    readers: ["junit"],
  },
  {
    name: "submodule",
    tools: "JavaScript, node --test: the tests read cases from a git submodule",
    from: {
      files: {
        "package.json": PACKAGE,
        "years.js": SOURCE,
        "years.test.js": `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { leap } from "./years.js";

for (const [year, expected] of JSON.parse(readFileSync("cases/years.json", "utf8")))
  test(\`the year \${year}\`, () => assert.equal(leap(year), expected));
`,
      },
      setup: [
        "mkdir ../cases && echo '[[2024, true], [1900, false], [2000, true]]' > ../cases/years.json",
        "cd ../cases && git init --quiet && git add --all && git commit --quiet --message Cases",
        "git init --quiet --initial-branch=main",
        "git -c protocol.file.allow=always submodule --quiet add ../cases cases",
      ],
    },
    edit: leap,
  },
  {
    name: "monorepo-package",
    tools: "JavaScript, node --test: a loop in one package of a monorepo",
    from: { files: MONOREPO, setup: [INSTALL] },
    folder: "packages/a",
    edit: inFile("packages/a/src/years.js"),
  },
  {
    name: "monorepo-top",
    tools: "JavaScript, node --test by npm workspaces: a loop at the top",
    from: {
      files: MONOREPO,
      setup: [INSTALL],
    },
    edit: inFile("packages/a/src/years.js"),
  },
  {
    name: "not-installed-js",
    tools: "TypeScript, vitest, which is not installed",
    from: {
      files: {
        ".gitignore": "node_modules\n",
        "package.json": VITEST,
        "years.ts": SOURCE.replace("(year)", "(year: number): boolean"),
        "years.test.ts": testsOf("./years.ts", "vitest"),
      },
    },
    edit: inFile("years.ts"),
    readers: [],
    expected: "refused before a turn",
  },
  {
    name: "not-installed-tape",
    tools: "JavaScript, tape, which is not installed, behind node",
    from: {
      files: {
        ".gitignore": "node_modules\n",
        "package.json":
          '{ "scripts": { "test": "node test.js" }, "devDependencies": { "tape": "^5.9.0" } }\n',
        "years.js": SOURCE.replace("export function leap", "module.exports = function leap"),
        "test.js": `const test = require("tape");
const leap = require("./years.js");

test("centuries", (t) => {
  t.notOk(leap(1900));
  t.ok(leap(2000));
  t.end();
});
`,
      },
    },
    edit: leap,
    readers: [],
    expected: "refused before a turn",
  },
  {
    name: "not-installed-py",
    tools: "Python, pytest: a module that the tests import is not installed",
    needs: "pytest --version",
    from: {
      files: {
        ...PYTHON,
        "requirements.txt": "a-package-that-is-not-installed==1.0\n",
        "days.py":
          "import a_package_that_is_not_installed\n\n\ndef days(leap):\n    return 366 if leap else 365\n",
      },
    },
    test: "pytest",
    edit: days,
    readers: [],
    expected: "refused before a turn",
  },
  {
    name: "unicode-path",
    tools: "JavaScript, node --test: blanks, umlauts and an emoji in the path",
    from: { files: SIMPLE },
    place: "Größe & Maß – 測試 🚀 (1)",
    edit: leap,
  },
  {
    name: "unicode-path-py",
    tools: "Python, pytest: blanks and umlauts in the path and in file names",
    needs: "pytest --version",
    from: {
      files: {
        ...PYTHON,
        "Prüfung eins/test_tage.py":
          "from days import days\n\n\ndef test_schön():\n    assert days(True) == 366\n",
        "pyproject.toml":
          '[project]\nname = "days"\nversion = "1.0"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
      },
    },
    place: "meine Größe",
    test: "pytest",
    edit: days,
    readers: ["junit"],
  },
  {
    name: "no-git",
    tools: "JavaScript, node --test: a folder without git",
    from: { files: SIMPLE },
    git: false,
    edit: leap,
  },
  {
    name: "no-git-py",
    tools: "Python, pytest: a folder without git",
    needs: "pytest --version",
    from: { files: PYTHON },
    git: false,
    test: "pytest",
    edit: days,
    readers: ["junit"],
  },
  {
    name: "piece-removed",
    tools: "JavaScript, node --test: a function is gone, so its tests do not load",
    from: { files: SIMPLE },
    edit: {
      file: "years.js",
      right: "export function leap(year) {",
      bug: "function gone(year) {",
      wrong: "export function Leap(year) {",
    },
  },
];

export const hard: Group = { title: "Projects that are hard to test, made here", projects };
