import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { textOf } from "../project-files.ts";
import type { FormatName } from "../reports/report.ts";
import { AVA_REPORTER, MOCHA_REPORTER, MOCHA_VARIABLE } from "./mocha-ava-reporters.ts";
import { NODE_LINES, NODE_REPORTER, NODE_VARIABLE, nodeReporterOptions } from "./node-reporter.ts";
import { PERL_FILES, PERL_PRELOAD } from "./perl-preload.ts";
import { PYTHON_FILES } from "./pytest-plugin.ts";
import { RUBY_FILES, RUBY_PRELOAD } from "./ruby-preload.ts";
import { filesEnding, REPORTS_VARIABLE, type Runner } from "./runner.ts";
import { TAPE_REPORTER } from "./tape-reporter.ts";
import { UVU_REPORTER } from "./uvu-reporter.ts";

/**
 * Stands in NODE_OPTIONS: a process that is the program of a known runner gets the words that ask for its report, whose
 * file is begun at once, so that a run which ends without one is cut off. In other processes the runners that are only a
 * module are extended. What either starts itself is asked for nothing: a run that a test starts is none of the project's.
 */
const PRELOAD = String.raw`"use strict";
const { realpathSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const folder = process.env.${REPORTS_VARIABLE};
const fileOf = (ending) => join(folder, process.pid + ending);
const has = (...flags) => process.argv.some((word) => flags.some((flag) => word === flag || word.startsWith(flag + "=")));
const take = () => {
  delete process.env.${REPORTS_VARIABLE};
  return folder;
};
const begin = (file) => {
  writeFileSync(file, "", { flag: "wx" });
  return file;
};
const PROGRAMS = [
  {
    program: /[\\/]vitest[\\/]vitest\.mjs$/,
    isOther: () => has("list", "bench", "init", "--watch", "-w"),
    words: () => [...(has("--reporter") ? [] : ["--reporter=default"]), "--reporter=json", "--outputFile.json=" + begin(fileOf(".json"))],
  },
  {
    program: /[\\/]jest(-cli)?[\\/]bin[\\/]jest\.js$/,
    isOther: () => has("--json", "--outputFile", "--watch", "--listTests", "--showConfig", "--clearCache", "--init"),
    words: () => ["--json", "--outputFile=" + begin(fileOf(".json"))],
  },
  {
    program: /[\\/]mocha[\\/]bin[\\/]_?mocha(\.js)?$/,
    isOther: () => has("--watch", "-w", "--dry-run", "--list-files", "--list-reporters", "--list-interfaces"),
    words() {
      process.env.${MOCHA_VARIABLE} = begin(fileOf(".ndjson"));
      return [];
    },
  },
  {
    program: /[\\/]tap[\\/]bin[\\/]run\.js$/,
    isOther: () => has("--output-file", "-o", "--dump-config", "--versions", "--parser-version"),
    words: () => ["--output-file=" + begin(fileOf(".tap"))],
  },
  {
    // Since 18; its plan is only in the file where another reporter prints.
    program: /[\\/]tap[\\/]dist[\\/]esm[\\/]run\.mjs$/,
    isOther: () => has("--output-file", "-o") || /^(list|report|build|plugin|config|dump-config|versions|help|init|repl)$/.test(process.argv[2]),
    words: () => [...(has("--reporter", "-R") ? [] : ["--reporter=terse"]), "--output-file=" + begin(fileOf(".tap"))],
  },
  {
    program: /[\\/]borp[\\/]borp\.js$/,
    isOther: () => has("--watch", "-w"),
    words() {
      process.env.${NODE_VARIABLE} = folder;
      return [...(has("--reporter", "-r") ? [] : ["--reporter=spec"]), "--reporter=" + join(__dirname, "node-reporter.cjs")];
    },
  },
];

/** The program of this process; nothing in a worker, or where it is read from elsewhere. */
function main() {
  try {
    return process.argv[1] ? realpathSync(process.argv[1]) : "";
  } catch {
    return "";
  }
}

/** Begun by the program of mocha; else by whoever starts it from a program of its own. */
let runs = 0;
const mochaFile = () => {
  const begun = process.env.${MOCHA_VARIABLE};
  delete process.env.${MOCHA_VARIABLE};
  if (begun || !folder) return begun || null;
  take();
  runs += 1;
  return begin(fileOf("-mocha-" + runs + ".ndjson"));
};

if (folder || process.env.${MOCHA_VARIABLE}) require("./mocha.cjs").extendMocha(mochaFile);
if (folder) {
  const real = main();
  const known = PROGRAMS.find(({ program }) => program.test(real));
  const isAsked = known && !known.isOther() && !has("--help", "-h", "--version", "-v", "-V");
  if (isAsked) {
    const at = process.argv.indexOf("--");
    process.argv.splice(at === -1 ? process.argv.length : at, 0, ...known.words());
  }
  if (known) take();
  else if (process.execArgv.includes("--test")) process.env.${NODE_VARIABLE} = take();
  else {
    require("./tape.cjs").extendTape(take);
    require("./uvu.cjs").extendUvu(take);
  }
}
`;

const DEEPEST = 3;

/** Whether a package of the project names a reporter to Node itself, which takes no others then. */
function namesReporter(folder: string, depth = 0): boolean {
  if (textOf(join(folder, "package.json"))?.includes("--test-reporter")) return true;
  if (depth === DEEPEST) return false;
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
    .some(({ name }) => namesReporter(join(folder, name), depth + 1));
}

/** By the ending of its name: what each of the runners in a script writes. */
function formatOf(file: string): FormatName {
  if (file.endsWith(".ndjson")) return "event-lines";
  return file.endsWith(".tap") ? "tap" : "jest-json";
}

/** A runner, or a script with any number of them somewhere in it, that is asked by its environment and must answer. */
export const BY_ENVIRONMENT: Runner = {
  format: formatOf,
  files: () => ({
    "preload.cjs": PRELOAD,
    "ava.cjs": AVA_REPORTER,
    "node-lines.cjs": NODE_LINES,
    "node-reporter.cjs": NODE_REPORTER,
    "mocha.cjs": MOCHA_REPORTER,
    "tape.cjs": TAPE_REPORTER,
    "uvu.cjs": UVU_REPORTER,
    ...PYTHON_FILES,
    ...RUBY_FILES,
    ...PERL_FILES,
  }),
  prepare: ({ command, cwd, reports, env }) => ({
    command,
    env: {
      NODE_OPTIONS: [
        env.NODE_OPTIONS ?? "",
        ...["ava.cjs", "preload.cjs"].map(
          (name) => `--require=${JSON.stringify(`${reports}/${name}`)}`,
        ),
        namesReporter(cwd) ? "" : nodeReporterOptions(reports),
      ]
        .join(" ")
        .trim(),
      PYTHONPATH: [reports, env.PYTHONPATH].filter(Boolean).join(delimiter),
      RUBYLIB: [reports, env.RUBYLIB].filter(Boolean).join(delimiter),
      RUBYOPT: `${env.RUBYOPT ?? ""} -r${RUBY_PRELOAD}`.trim(),
      PERL5LIB: [reports, env.PERL5LIB].filter(Boolean).join(delimiter),
      PERL5OPT: `${env.PERL5OPT ?? ""} -M${PERL_PRELOAD}`.trim(),
      [REPORTS_VARIABLE]: reports,
    },
  }),
  reports: filesEnding("json", ".tap"),
};

/**
 * A script that starts runners somewhere in it: between other commands, by other scripts, in several folders. Where none
 * of those that can be asked is there, the exit code and what was printed decide.
 */
export const SCRIPT: Runner = { ...BY_ENVIRONMENT, isOptional: true };
